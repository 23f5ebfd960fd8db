// Which jobs an acquisition starts under the keys that it holds, and when each key is looked at again. The order of the keys is
// that of their turns.
import {
  type AcquireJobsParams,
  type BatchCondition,
  fullLimitLookMs,
  Gate,
} from "queuert/internal";
import { inOrder, ripeAt } from "./jobs-of-key.ts";
import { activePauseOf, type KeptBack } from "./key-document.ts";
import type { HeldKey, JobsOfKey, KeyedJob, KeysRead } from "./read-keys.ts";

type AcquiredType = AcquireJobsParams["types"][number];

/** The room of one acquisition. */
export interface TurnsRoom {
  /** How many jobs it may start. */
  readonly most: number;
  /** The overall bounds of the type, and of the limits of the keys. */
  gatesOf(limitName: string): readonly Gate[];
}

/** A key after its turn. */
export interface PlannedKey {
  readonly held: HeldKey;
  readonly jobs: JobsOfKey;
  readonly started: readonly KeyedJob[];
  /** The next look. Null: a turn of a job is the only reason. "kept": the key keeps its place. */
  readonly lookAt: Date | null | "kept";
  readonly keptBack: KeptBack;
  /** Undefined: no tokens were taken. */
  readonly backAtUs: number | undefined;
}

export interface TurnsPlan {
  readonly keys: readonly PlannedKey[];
  /** Overall bounds have kept due jobs back until then, in milliseconds since 1970. Infinity: they have not. */
  readonly closedUntil: number;
}

type Stop =
  | { readonly why: "none" | "paused" | "empty" }
  | { readonly why: "full" | "tokens" | "closed"; readonly at: number };

const running: Stop = { why: "none" };

interface Turn {
  readonly held: HeldKey;
  readonly jobs: JobsOfKey;
  readonly queue: readonly KeyedJob[];
  readonly gate: Gate;
  readonly started: KeyedJob[];
  stop: Stop;
  backAtUs: number | undefined;
}

/** A full key is looked at again because of the end of an attempt. This is for a turn that was lost. */
const fullKeyLookMs = 60_000;
const never = new Date(8.64e15);

export const planTurns = (
  keys: readonly HeldKey[],
  read: KeysRead,
  { typeName, batch }: Pick<AcquiredType, "typeName" | "batch">,
  room: TurnsRoom,
): TurnsPlan => {
  const turns = keys.flatMap((held): Turn[] => {
    const jobs = read.jobs.get(held.document._id);
    return jobs === undefined ? [] : [toTurn(held, jobs, read.now, typeName)];
  });
  if (batch?.perKey === true) {
    takeBatch(turns, batch, read.now, room);
    return toPlan(turns, read.now, typeName);
  }
  let left = room.most;
  for (let before = Infinity; left < before && left > 0;) {
    before = left;
    for (const turn of turns) left -= takeTurn(turn, left, room);
  }
  return toPlan(turns, read.now, typeName);
};

const toPlan = (turns: readonly Turn[], now: Date, typeName: string): TurnsPlan => {
  let closedUntil = Infinity;
  for (const { stop } of turns) {
    if (stop.why === "closed") closedUntil = Math.min(closedUntil, stop.at);
  }
  return { keys: turns.map((turn) => toPlanned(turn, now, typeName)), closedUntil };
};

/** The jobs of the first key whose batch is ripe and can start. The keys of the others wait until theirs are. */
const takeBatch = (
  turns: readonly Turn[],
  batch: BatchCondition,
  now: Date,
  room: TurnsRoom,
): void => {
  let taken = 0;
  for (const turn of turns) {
    const { jobs, queue } = turn;
    if (turn.stop.why !== "none") continue;
    const isRipe = ripeAt([...jobs.due, ...jobs.expired], batch) <= now.getTime();
    if (isRipe && taken === 0) taken = takeTurn(turn, room.most, room, Infinity);
    if (isRipe && turn.started.length === 0) continue;
    const rest = turn.started.length === 0 ? jobs.due : queue.slice(turn.started.length);
    const nextAt = jobs.hasMore && isRipe ? 0 : ripeAt(rest, batch);
    if (turn.stop.why === "none" && nextAt > now.getTime() && nextAt < Infinity) {
      turn.stop = { why: "tokens", at: nextAt };
    }
  }
};

const toTurn = (held: HeldKey, jobs: JobsOfKey, now: Date, typeName: string): Turn => {
  const { document, bounds, isCareful, isRandom } = held;
  const expired = jobs.expired.filter((job) => job.typeName === typeName);
  // Another transaction may have such a job: its lease counts, and one job is tried.
  const permits = isCareful ? jobs.permits + jobs.expired.length : jobs.permits;
  const all = [...jobs.due, ...expired].sort(inOrder(held.agingMs));
  const turn: Turn = {
    ...{ held, jobs, started: [], backAtUs: undefined },
    queue: isCareful ? oneOf(all, isRandom) : all,
    stop: activePauseOf(document, now) === null ? running : { why: "paused" },
    gate: new Gate(
      bounds,
      { running: permits, backAtUs: document.backAtUs ?? null, now: now.getTime() },
      (backAtUs) => {
        turn.backAtUs = backAtUs;
      },
    ),
  };
  return turn;
};

const oneOf = (jobs: readonly KeyedJob[], isRandom: boolean): readonly KeyedJob[] => {
  const place = isRandom ? Math.floor(Math.random() * jobs.length) : 0;
  return jobs.slice(place, place + 1);
};

/** Starts up to `weight` jobs. Returns how many. */
const takeTurn = (
  turn: Turn,
  left: number,
  room: TurnsRoom,
  weight: number = turn.gate.weight,
): number => {
  const { held, queue, started } = turn;
  const before = started.length;
  while (turn.stop.why === "none" && started.length - before < weight) {
    const job = queue[started.length];
    if (job === undefined) turn.stop = { why: "empty" };
    else if (started.length - before >= left) break;
    else turn.stop = start(turn, job, room.gatesOf(held.document.limitName));
  }
  return started.length - before;
};

const start = ({ gate, started }: Turn, job: KeyedJob, gates: readonly Gate[]): Stop => {
  const { startCost = 1 } = job;
  if (!gate.admits(startCost)) {
    return { why: gate.isFull ? "full" : "tokens", at: gate.lookAt(startCost) };
  }
  const closed = gates.find((one) => !one.admits(startCost));
  if (closed !== undefined) {
    // Only this key waits for so many tokens: another may start a job of a lesser cost.
    return { why: closed.admits(1) ? "tokens" : "closed", at: closed.lookAt(startCost) };
  }
  started.push(job);
  for (const one of [gate, ...gates]) one.start(startCost);
  return running;
};

const toPlanned = (turn: Turn, now: Date, typeName: string): PlannedKey => {
  const { held, jobs, started, backAtUs } = turn;
  const isShared = held.document.limitName !== typeName;
  const [lookAt, keptBack] = nextLook(turn, now, isShared);
  return { held, jobs, started, lookAt, keptBack, backAtUs };
};

type NextLook = readonly [lookAt: PlannedKey["lookAt"], keptBack: KeptBack];

const nextLook = (turn: Turn, now: Date, isShared: boolean): NextLook => {
  const { held, jobs, queue, gate, started, stop } = turn;
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  if (stop.why === "paused") return [activePauseOf(held.document, now)?.until ?? never, "no"];
  if (held.isCareful && started.length === 0) return ["kept", "no"];
  const waits = held.isCareful || jobs.hasMore || started.length < queue.length;
  if (!waits) return [null, "no"];
  // The end of an attempt of another type leaves no turn for this one.
  if (gate.isFull && isShared) return [after(fullLimitLookMs), "shared"];
  if (gate.isFull) return [after(fullKeyLookMs), "own"];
  if (stop.why === "tokens") return [new Date(Math.ceil(stop.at)), "no"];
  return [started.length > 0 ? now : "kept", "no"];
};
