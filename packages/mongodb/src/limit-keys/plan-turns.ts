// Which jobs an acquisition starts under the keys that it holds, and when each key is looked at again. The order of the keys is
// that of their turns.
import { type AcquireJobsParams, type BatchCondition, Gate } from "queuert/internal";
import { inOrder, ripeAt } from "./jobs-of-key.ts";
import { activePauseOf } from "./key-document.ts";
import { type PlannedKey, type Stop, toPlanned, type Turn } from "./planned-key.ts";
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

export interface TurnsPlan {
  readonly keys: readonly PlannedKey[];
  /** The jobs that start, in the order of the turns. */
  readonly starts: readonly KeyedJob[];
  /** Overall bounds have kept due jobs back until then, in milliseconds since 1970. Infinity: they have not. */
  readonly closedUntil: number;
}

const running: Stop = { why: "none" };

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
  const { document, bounds, isCareful } = held;
  const expired = jobs.expired.filter((job) => job.typeName === typeName);
  // Another transaction may have such a job: its lease counts, and one job is tried.
  const permits = isCareful ? jobs.permits + jobs.expired.length : jobs.permits;
  const all = [...jobs.due, ...expired].sort(inOrder(held.agingMs));
  const turn: Turn = {
    ...{ held, jobs, started: [], used: held.turn.used % bounds.weight, backAtUs: undefined },
    queue: isCareful ? certainOf(all, held) : all,
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

/** Of a batch those that are known to be free, of other types one. */
const certainOf = (jobs: readonly KeyedJob[], { isRandom, free }: HeldKey): readonly KeyedJob[] => {
  if (free !== null) return jobs.filter(({ _id }) => free.has(_id));
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
