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
  /** How many jobs the acquisition has started before. */
  readonly before: number;
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
  /** Among the looks of that time. */
  readonly turnPlace: number;
  /** Not 0: it goes on with its turn. */
  readonly turnUsed: number;
  /** It could start more, if there was room. */
  readonly hasMore: boolean;
  readonly keptBack: KeptBack;
  /** Undefined: no tokens were taken. */
  readonly backAtUs: number | undefined;
}

export interface TurnsPlan {
  readonly keys: readonly PlannedKey[];
  /** The jobs that start, in the order of the turns. */
  readonly starts: readonly KeyedJob[];
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
  /** How many jobs of its weight it has started. */
  used: number;
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
  const starts: KeyedJob[] = [];
  const acquisition = { room, starts };
  if (batch?.perKey === true) takeBatch(acquisition, turns, batch, read.now);
  else {
    for (let before = -1; before < starts.length && starts.length < room.most;) {
      before = starts.length;
      for (const turn of turns) takeTurn(acquisition, turn);
    }
  }
  const places = new Map(starts.map(({ limitKeyId }, index) => [limitKeyId, room.before + index]));
  const planned = turns.map((turn): PlannedKey => {
    const place = places.get(turn.held.document._id) ?? 0;
    return toPlanned(turn, place, read.now, typeName);
  });
  return { keys: planned, starts, closedUntil: closedUntilOf(turns) };
};

interface Acquisition {
  readonly room: TurnsRoom;
  readonly starts: KeyedJob[];
}

const closedUntilOf = (turns: readonly Turn[]): number => {
  let closedUntil = Infinity;
  for (const { stop } of turns) {
    if (stop.why === "closed") closedUntil = Math.min(closedUntil, stop.at);
  }
  return closedUntil;
};

/** The jobs of the first key whose batch is ripe and can start. The keys of the others wait until theirs are. */
const takeBatch = (
  acquisition: Acquisition,
  turns: readonly Turn[],
  batch: BatchCondition,
  now: Date,
): void => {
  for (const turn of turns) {
    const { jobs, queue } = turn;
    if (turn.stop.why !== "none") continue;
    const isRipe = ripeAt([...jobs.due, ...jobs.expired], batch) <= now.getTime();
    if (isRipe && acquisition.starts.length === 0) takeTurn(acquisition, turn, Infinity);
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
    ...{ held, jobs, started: [], used: held.turn.used % bounds.weight, backAtUs: undefined },
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

/** Starts jobs up to the weight. Without room for all of them, the key goes on in the next acquisition. */
const takeTurn = (
  { room, starts }: Acquisition,
  turn: Turn,
  weight: number = turn.gate.weight,
): void => {
  const { held, queue, started } = turn;
  let hasRoom = true;
  while (turn.stop.why === "none" && turn.used < weight && hasRoom) {
    const job = queue[started.length];
    if (job === undefined) turn.stop = { why: "empty" };
    else if (starts.length >= room.most) hasRoom = false;
    else turn.stop = start(turn, job, room.gatesOf(held.document.limitName));
    if (turn.stop.why !== "none" || job === undefined || !hasRoom) break;
    turn.used++;
    starts.push(job);
  }
  const isCut = !hasRoom || turn.stop.why === "closed";
  if (!isCut || weight === Infinity) turn.used = 0;
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

const toPlanned = (turn: Turn, place: number, now: Date, typeName: string): PlannedKey => {
  const { held, jobs, started, used, backAtUs } = turn;
  const isShared = held.document.limitName !== typeName;
  const [lookAt, keptBack, hasMore = false] = nextLook(turn, now, isShared);
  const isSame = lookAt === held.turn.at;
  const turnPlace = isSame ? held.turn.place : place;
  const turnUsed = isSame ? used : 0;
  return { held, jobs, started, lookAt, turnPlace, turnUsed, hasMore, keptBack, backAtUs };
};

type NextLook = readonly [lookAt: PlannedKey["lookAt"], keptBack: KeptBack, hasMore?: boolean];

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
  if (started.length === 0) return ["kept", "no", !held.isCareful];
  // It goes on with its turn, or its next one comes after those of the others.
  return [turn.used > 0 ? held.turn.at : now, "no", true];
};
