// The operator of the load's schedules: pauses and resumes, triggers and backfills. Records in which times each schedule is known to
// have been active or paused. A call that fails leaves its schedule unknown until the stored one has been read.
import type { LoadSchedule, Span } from "../checker/control-history.ts";
import type { Random } from "../random.ts";
import type { LoadSurroundings } from "./run-plan.ts";

export type DrawnSchedule = Omit<LoadSchedule, "active" | "paused">;

/** With the time that its jobs take. */
export type WorkingSchedule = DrawnSchedule & { readonly workMs: number };

interface Kept {
  readonly schedule: DrawnSchedule;
  active: Span[];
  paused: Span[];
  /** Null: not known. */
  isPaused: boolean | null;
  since: number;
}

type Means = Pick<LoadSurroundings, "queuert" | "now" | "sleep" | "onError">;

const tryAgainMs = 200;

const cutTo = (spans: readonly Span[], until: number): Span[] =>
  spans.flatMap(([from, to]): Span[] => (from < until ? [[from, Math.min(to, until)]] : []));

export class ScheduleKeeper {
  readonly #means: Means;
  readonly #random: Random;
  readonly #backfillMsMax: number;
  readonly #kept: Kept[] = [];
  /** Times to which the store has gone back since the last look. */
  readonly #rewinds: number[] = [];

  constructor(means: Means, random: Random, backfillMsMax: number) {
    this.#means = means;
    this.#random = random;
    this.#backfillMsMax = backfillMsMax;
  }

  get schedules(): readonly LoadSchedule[] {
    return this.#kept.map(({ schedule, active, paused }) => ({ ...schedule, active, paused }));
  }

  get names(): readonly string[] {
    return this.#kept.map(({ schedule }) => schedule.name);
  }

  /** One of them. */
  pick(): DrawnSchedule | undefined {
    return this.#kept[this.#random.below(this.#kept.length)]?.schedule;
  }

  async store(schedules: readonly WorkingSchedule[]): Promise<void> {
    const { queuert, now } = this.#means;
    const wanted = schedules.map(({ name, spec, workMs, catchUp, overlap, graceMs }) => {
      const { cron, timeZone, everyMs } = spec;
      const timing = cron === null ? { everyMs: everyMs ?? 0 } : { cron, timeZone };
      const policy = { catchUp, overlap, graceMs };
      return { name, typeName: "tick" as const, input: { workMs }, ...timing, ...policy };
    });
    await this.#untilDone(() => queuert.upsertSchedules({ schedules: wanted }));
    for (const { workMs: _workMs, ...schedule } of schedules) {
      this.#kept.push({ schedule, active: [], paused: [], isPaused: false, since: now() });
    }
  }

  /** Does one thing, drawn at random. Never rejects. */
  async act(): Promise<void> {
    await this.#lookAfterRewind();
    const kept = this.#kept[this.#random.below(this.#kept.length)];
    if (kept === undefined) return;
    const { queuert, now, onError } = this.#means;
    const { name, overlap } = kept.schedule;
    const action = this.#random.below(4);
    if (action <= 1) return this.#change(kept);
    try {
      if (action === 2) await queuert.triggerSchedules({ names: [name] });
      else {
        const from = new Date(now() - this.#random.below(this.#backfillMsMax));
        await queuert.backfillSchedule({ name, from, to: new Date(now()), overlap });
      }
    } catch (error) {
      onError("schedule", error);
    }
  }

  async #change(kept: Kept): Promise<void> {
    const { queuert, onError } = this.#means;
    const [names, pauses] = [[kept.schedule.name], kept.isPaused !== true];
    this.#close(kept);
    try {
      if (pauses) await queuert.pauseSchedules({ names });
      else {
        const catchUp = this.#random.chance(0.5) ? { catchUp: kept.schedule.catchUp } : {};
        await queuert.resumeSchedules({ names, ...catchUp });
      }
    } catch (error) {
      onError("schedule", error);
    }
    await this.#look(kept);
  }

  /** Ends the time in which the state of a schedule was known. */
  #close(kept: Kept): void {
    const now = this.#means.now();
    if (kept.isPaused !== null) (kept.isPaused ? kept.paused : kept.active).push([kept.since, now]);
    kept.isPaused = null;
  }

  /** Reads the stored schedule, until the store answers. */
  async #look(kept: Kept): Promise<void> {
    const { queuert, now } = this.#means;
    const { items } = await this.#untilDone(() =>
      queuert.listSchedules({ names: [kept.schedule.name] }),
    );
    const [stored] = items;
    kept.since = now();
    kept.isPaused = stored === undefined ? null : stored.pausedAt !== null;
    // Instants that were due before the pause and had not been fired: the end of the pause may leave them out.
    const openFrom = stored?.nextAt?.getTime() ?? Infinity;
    if (kept.isPaused === true) kept.active = cutTo(kept.active, openFrom);
  }

  /** Under faults a call may fail for longer than the library repeats it. All of these may be made twice. */
  async #untilDone<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        this.#means.onError("schedule", error);
        await this.#means.sleep(tryAgainMs);
      }
    }
  }

  /** The store is as it was at that time. The next call looks at the schedules again. */
  rewound(to: number): void {
    this.#rewinds.push(to);
  }

  async #lookAfterRewind(): Promise<void> {
    const to = Math.min(...this.#rewinds.splice(0));
    if (to === Infinity) return;
    for (const kept of this.#kept) {
      this.#close(kept);
      [kept.active, kept.paused] = [cutTo(kept.active, to), cutTo(kept.paused, to)];
      await this.#look(kept);
    }
  }

  /** Ends the known times. */
  async close(): Promise<void> {
    await this.#lookAfterRewind();
    for (const kept of this.#kept) this.#close(kept);
  }

  /** Whether every schedule that is not paused has fired its instants until then. */
  async hasFiredUntil(at: number): Promise<boolean> {
    const { queuert } = this.#means;
    const { items } = await this.#untilDone(() =>
      queuert.listSchedules({ names: [...this.names] }),
    );
    return items.every(
      ({ pausedAt, nextAt }) => pausedAt !== null || (nextAt?.getTime() ?? Infinity) > at,
    );
  }

  async pauseAll(): Promise<void> {
    const { queuert } = this.#means;
    await this.#untilDone(() => queuert.pauseSchedules({ names: [...this.names] }));
  }
}
