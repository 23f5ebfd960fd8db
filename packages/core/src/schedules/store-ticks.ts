// Stores ticks of schedules that the transaction holds: their jobs, their history, and the schedules' new state, all or
// nothing. The lock on a schedule makes its overlap exact: no other tick of it is decided at the same time.
import type { StateTick } from "../adapters/state-adapter-schedules.ts";
import type { NewEntryJob } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import { cancelUnawaited } from "../lifecycle/cancel-sequences.ts";
import { recordStarts } from "../lifecycle/job-effects.ts";
import { isFinished } from "../model/status.ts";
import { toTickKey } from "../model/tick.ts";
import type { ScheduleOverlap } from "../public-types/schedules.ts";
import { jitterOf } from "./plan-firing.ts";
import {
  type BufferedTick,
  type HeldSchedule,
  type ScheduleState,
  toStateSchedule,
} from "./stored-schedule.ts";

/** Ticks to be decided for one schedule. `held.state` has its fields as they are after them. */
export interface TickRequest {
  readonly held: HeldSchedule;
  readonly ticks: readonly BufferedTick[];
  readonly missed: readonly number[];
  readonly overlap: ScheduleOverlap;
}

/** Older ones are forgotten: only schedules with `"allow"` triggers reach it. */
const openMax = 100;

/** Returns the schedules as they are stored, and their new ticks. */
export const storeTicks = async (
  engine: Engine,
  context: object,
  now: number,
  requests: readonly TickRequest[],
): Promise<{ readonly held: readonly HeldSchedule[]; readonly ticks: readonly StateTick[] }> => {
  const unfinished = await findUnfinished(engine, context, requests);
  const open = await giveWay(engine, context, requests, unfinished);
  const decisions = requests.map((request, index) => decide(request, open[index] ?? [], now));
  const starts = decisions.flatMap(({ starting }) => starting);
  const started = await startSequences(engine, context, starts);
  const ticks = decisions
    .flatMap(({ ticks: decided }) => decided)
    .map((tick) => {
      const start = started.get(keyOf(tick));
      return start === undefined ? tick : { ...tick, ...start };
    });
  const held = decisions.map(({ request, buffered, open: before }): HeldSchedule => {
    const { name, state } = request.held;
    const own = starts.filter((start) => start.tick.scheduleName === name);
    const ids = own.flatMap(({ tick }) => started.get(keyOf(tick))?.sequenceId ?? []);
    const openSequenceIds = state.overlap === "allow" ? [] : [...before, ...ids].slice(-openMax);
    const backfilledUntil = lastBackfilled(request);
    return { name, state: { ...state, buffered, openSequenceIds, backfilledUntil } };
  });
  await engine.state.writeSchedules({
    context,
    schedules: held.map((one) => ({ schedule: toStateSchedule(one, now), isNew: false })),
  });
  await engine.state.recordTicks({ context, ticks });
  emitTicks(engine, context, ticks);
  return { held, ticks };
};

/** Instants come in order. Those that were fired before are no matter to the next firing. */
const lastBackfilled = ({ held: { state }, ticks }: TickRequest): number | null => {
  const { backfilledUntil = null } = state;
  const last = ticks.findLast(({ kind }) => kind === "backfill")?.at;
  return last === undefined ? backfilledUntil : Math.max(last, backfilledUntil ?? last);
};

const findUnfinished = async (
  { state }: Engine,
  context: object,
  requests: readonly TickRequest[],
): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(requests.flatMap(({ held }) => held.state.openSequenceIds))];
  const found = await state.getSequences({ context, ids });
  return new Set(
    found.flatMap((sequence) =>
      sequence === undefined || isFinished(sequence.current.status) ? [] : [sequence.first.id],
    ),
  );
};

/** Cancels the unfinished sequences of schedules whose ticks ask for it. Returns those of each request that go on. */
const giveWay = async (
  engine: Engine,
  context: object,
  requests: readonly TickRequest[],
  unfinished: ReadonlySet<string>,
): Promise<readonly (readonly string[])[]> => {
  const open = requests.map(({ held }) =>
    held.state.openSequenceIds.filter((id) => unfinished.has(id)),
  );
  const groups = requests.flatMap(({ overlap, ticks }, index) =>
    overlap === "cancelRunning" && ticks.length > 0 ? [open[index] ?? []] : [],
  );
  const haveGone = await cancelUnawaited(engine, context, groups, "a later tick of its schedule");
  const gone = new Set(groups.filter((_, index) => haveGone[index] === true));
  return open.map((ids) => (gone.has(ids) ? [] : ids));
};

interface Start {
  readonly tick: StateTick;
  readonly job: NewEntryJob;
}

interface Decision {
  readonly request: TickRequest;
  readonly ticks: readonly StateTick[];
  readonly starting: readonly Start[];
  readonly buffered: BufferedTick | null;
  /** Unfinished sequences of the schedule, before these ticks. */
  readonly open: readonly string[];
}

const decide = (request: TickRequest, open: readonly string[], now: number): Decision => {
  const { held, overlap, missed } = request;
  const starting: Start[] = [];
  const ticks: StateTick[] = missed.map((at) =>
    toTick(held.name, { at, kind: "scheduled" }, "missed", now),
  );
  let { buffered } = held.state;
  const isBusy = (): boolean => open.length + starting.length > 0;
  const take = (tick: BufferedTick, outcome: StateTick["outcome"]): void => {
    const stored = toTick(held.name, tick, outcome, now);
    ticks.push(stored);
    if (outcome === "started") starting.push({ tick: stored, job: toJob(held, stored, now) });
  };
  const last = overlap === "cancelRunning" ? request.ticks.at(-1) : undefined;
  if (buffered !== null && !isBusy()) {
    take(buffered, last === undefined ? "started" : "skipped");
    buffered = null;
  }
  for (const tick of request.ticks) {
    if (last !== undefined) take(tick, tick === last && !isBusy() ? "started" : "skipped");
    else if (overlap === "allow" || !isBusy()) take(tick, "started");
    else if (overlap === "bufferOne" && buffered === null) {
      take(tick, "buffered");
      buffered = tick;
    } else take(tick, "skipped");
  }
  return { request, ticks, starting, buffered, open };
};

const toTick = (
  scheduleName: string,
  { at, kind }: BufferedTick,
  outcome: StateTick["outcome"],
  now: number,
): StateTick => {
  const [tickAt, firedAt] = [new Date(at), new Date(now)];
  return { scheduleName, tickAt, kind, outcome, sequenceId: null, firedAt };
};

const keyOf = ({ scheduleName, tickAt, kind }: StateTick): string =>
  toTickKey({
    schedule: scheduleName,
    at: tickAt,
    kind: kind === "manual" ? "manual" : "scheduled",
  });

const toJob = ({ name, state }: HeldSchedule, tick: StateTick, now: number): NewEntryJob => ({
  kind: "entry",
  typeName: state.typeName,
  input: state.input,
  schedule: toDelay(name, state, tick, now),
  priority: state.priority,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  rootSequenceId: null,
  originId: null,
  // The last defence: whatever else goes wrong, an instant starts one sequence.
  deduplication: { key: keyOf(tick), strategy: "all", windowMs: null },
  traceContext: null,
});

const toDelay = (
  name: string,
  state: ScheduleState,
  { tickAt, kind }: StateTick,
  now: number,
): NewEntryJob["schedule"] => {
  if (kind !== "scheduled") return null;
  const at = tickAt.getTime() + jitterOf(name, tickAt.getTime(), state);
  return at > now ? { at: new Date(at) } : null;
};

/** The sequence of each started tick, by the tick's key. */
const startSequences = async (
  engine: Engine,
  context: object,
  starts: readonly Start[],
): Promise<ReadonlyMap<string, Pick<StateTick, "outcome" | "sequenceId">>> => {
  if (starts.length === 0) return new Map();
  const jobs = starts.map(({ job }) => ({
    ...job,
    limitKey: engine.jobTypeLimits.keyOf(job.typeName, job.input),
  }));
  const created = await engine.state.createJobs({ context, jobs });
  recordStarts(
    engine,
    context,
    created.map(({ job, deduplicated }) => ({ job, deduplicated, blockerSequenceIds: [] })),
    "fireSchedules",
  );
  return new Map(
    created.map(({ job, deduplicated }, index) => [
      starts[index]?.job.deduplication?.key ?? "",
      { outcome: deduplicated ? "deduplicated" : "started", sequenceId: job.sequenceId },
    ]),
  );
};

/** Events wait for the commit where the transaction is known, and are emitted at once where it is the user's own. */
const emitTicks = (engine: Engine, context: object, ticks: readonly StateTick[]): void => {
  const target = engine.transactions.find(context)?.effects ?? engine.observer;
  for (const tick of ticks) {
    target.emit("scheduleTicked", () => ({
      schedule: tick.scheduleName,
      tickAt: tick.tickAt,
      kind: tick.kind,
      outcome: tick.outcome,
      sequenceId: tick.sequenceId,
      lateMs: Math.max(0, tick.firedAt.getTime() - tick.tickAt.getTime()),
    }));
  }
};
