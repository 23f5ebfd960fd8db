// One transaction of an acquisition, over the keys that it holds.
import { setTimeout as sleep } from "node:timers/promises";
import type { AcquireJobsParams, Gate } from "queuert/internal";
import type { NewLease } from "../acquire-limited.ts";
import type { Database } from "../database.ts";
import { MongoTransactionAbortedError } from "../errors.ts";
import type { JobDocument } from "../job-document.ts";
import { type LimitDocument, lockLimit } from "../limit-document.ts";
import { outside, type Scope } from "../store.ts";
import {
  activePauseOf,
  effectiveBounds,
  type LimitKeyDocument,
  referenceOf,
} from "./key-document.ts";
import { leaveKeys } from "./hold-keys.ts";
import { openGates } from "./overall-gates.ts";
import { type LimitPauses, noPauses, readPausedLimits, underPause } from "./paused-limits.ts";
import { planTurns } from "./plan-turns.ts";
import { type HeldKey, readKeys } from "./read-keys.ts";
import { startJobs } from "./start-jobs.ts";
import type { TurnOfKey } from "./read-turns.ts";
import { writeKeys } from "./write-keys.ts";

/** The keys of one transaction. */
export interface KeysLook {
  readonly type: AcquireJobsParams["types"][number];
  /** Of the holds. */
  readonly stamp: string;
  readonly turns: readonly TurnOfKey[];
  readonly room: number;
  /** How many jobs the acquisition has started before. */
  readonly before: number;
  readonly lease: NewLease;
  /** Some type or some limit is paused. */
  readonly hasPauses: boolean;
  /** One key, after a conflict. */
  readonly isCareful: boolean;
  /** After another conflict: one of its jobs is tried at random. */
  readonly isRandom: boolean;
  /** The jobs of a batch that no other transaction has. Null: all of them may be free, or it is no batch. */
  readonly free: ReadonlySet<string> | null;
}

export interface KeysTurn {
  readonly jobs: readonly JobDocument[];
  readonly isLimited: boolean;
  /** A key has more due jobs, and room. */
  readonly hasMore: boolean;
  /** Overall bounds keep jobs back for so long. Infinity: they do not. */
  readonly closedInMs: number;
}

type Limits = ReadonlyMap<string, LimitDocument>;

const none: KeysTurn = { jobs: [], isLimited: false, hasMore: false, closedInMs: Infinity };

export const lookAtKeys = async (db: Database, look: KeysLook): Promise<KeysTurn> => {
  const names = limitNamesOf(look);
  // After the hold: a change of the limit that is committed later takes the hold away.
  const found = await db.limits.find(outside, { _id: { $in: names } });
  const limits = new Map(found.map((limit) => [limit._id, limit]));
  // After the hold, too: the end of a pause takes the hold away.
  const pauses = look.hasPauses ? await readPausedLimits(db) : noPauses;
  const closedInMs = await closedFor(db, look, limits);
  if (closedInMs > 0) {
    await leaveKeys(
      db,
      look.stamp,
      look.turns.map(({ keyId }) => keyId),
      0,
    );
    return { ...none, closedInMs };
  }
  const state = { hasLimits: !found.some(({ isBounded }) => isBounded), isLast: false };
  for (let tries = 1; ; tries++) {
    state.isLast = tries === triesMax;
    try {
      const taken = await db.tryTransaction((scope) =>
        lookOnce(db, scope, look, { limits, pauses }, state),
      );
      if (taken !== null) return taken;
      await sleep(Math.random());
    } catch (error) {
      const isConflict =
        error instanceof MongoTransactionAbortedError && error.reason === "write_conflict";
      // A conflict about a limit is over as soon as the other acquisition is. Another conflict is about a key.
      if (!isConflict || state.hasLimits || tries === triesMax) throw error;
      await sleep(tries * 5 * Math.random());
    }
  }
};

const triesMax = 8;

/** A first look, which is made again in the transaction. Milliseconds until there may be room under overall bounds; 0: now. */
const closedFor = async (db: Database, look: KeysLook, limits: Limits): Promise<number> => {
  if (![...limits.values()].some(({ isBounded }) => isBounded)) return 0;
  const [{ now } = { now: new Date(0) }] = await db.limits.aggregate<{ readonly now: Date }>(
    outside,
    [
      { $match: { _id: { $in: [...limits.keys()] } } },
      { $limit: 1 },
      { $project: { now: "$$NOW" } },
    ],
  );
  const { gates } = await openGates(db, outside, limits, now);
  const own = gates.get(look.type.typeName);
  const shared = look.turns.map(({ keyId }) => gates.get(referenceOf(keyId).limitName));
  const closed = [own, ...(shared.every((gate) => gate?.room === 0) ? shared : [])];
  const looks = closed.flatMap((gate) => (gate?.room === 0 ? [gate.lookAt(1)] : []));
  return looks.length === 0 ? 0 : Math.max(1, Math.min(...looks) - now.getTime());
};

const limitNamesOf = ({ type, turns }: KeysLook): readonly string[] =>
  [...new Set([type.typeName, ...turns.map(({ keyId }) => referenceOf(keyId).limitName)])].sort();

/** Null: the snapshot is older than the holds. */
const lookOnce = async (
  db: Database,
  scope: Scope,
  look: KeysLook,
  known: { readonly limits: Limits; readonly pauses: LimitPauses },
  state: { hasLimits: boolean; readonly isLast: boolean },
): Promise<KeysTurn | null> => {
  const { type, stamp, turns, room } = look;
  const limits = new Map(known.limits);
  for (const [name, { isBounded }] of known.limits) {
    if (!isBounded) continue;
    const locked = await lockLimit(db, scope, name);
    if (locked !== null) limits.set(name, locked);
  }
  state.hasLimits = true;
  const keyIds = turns.map(({ keyId }) => keyId);
  const documents = await db.limitKeys.find(scope, { _id: { $in: keyIds }, heldBy: stamp });
  // A snapshot may be older than the hold, which no majority has acknowledged. Or an operator has changed a key.
  const isWhole = documents.length === turns.length;
  if (!isWhole && !state.isLast) return null;
  if (documents.length === 0) return { ...none, hasMore: true };
  const held = toHeldKeys(
    look,
    documents.map((document) => underPause(document, known.pauses)),
    limits,
  );
  const read = await readKeys(db, type.typeName, held);
  const { gates, backAtUs } = await openGates(db, scope, limits, read.now);
  const gatesOf = (limitName: string): readonly Gate[] =>
    [...new Set([type.typeName, limitName])].flatMap((name) => gates.get(name) ?? []);
  const plan = planTurns(held, read, type, { most: room, before: look.before, gatesOf });
  await writeKeys(db, scope, look, plan.keys);
  for (const [name, at] of backAtUs) {
    await db.limits.updateMany(scope, { _id: name }, { $set: { backAtUs: at } });
  }
  const jobs = await startJobs(db, scope, look, plan, read.now);
  const closedInMs = plan.closedUntil - read.now.getTime();
  return {
    jobs,
    closedInMs: closedInMs === Infinity ? Infinity : Math.max(1, closedInMs),
    isLimited: plan.keys.some(({ keptBack }) => keptBack !== "no"),
    hasMore: !isWhole || plan.keys.some(({ hasMore }) => hasMore),
  };
};

/** In the order of the turns. */
const toHeldKeys = (
  { type, turns, room, isCareful, isRandom, free }: KeysLook,
  documents: readonly LimitKeyDocument[],
  limits: Limits,
): readonly HeldKey[] => {
  const byId = new Map(documents.map((document) => [document._id, document]));
  const each = documents.length < room ? Math.ceil(room / documents.length) : 1;
  return turns.flatMap((turn): readonly HeldKey[] => {
    const document = byId.get(turn.keyId);
    if (document === undefined) return [];
    const limit = limits.get(document.limitName);
    const bounds = effectiveBounds(limit, document);
    const agingMs = limit?.agingMs ?? null;
    // Of a key that is alone more than its bounds: one of them is tried.
    // Whether a batch is ripe is decided by all of its jobs.
    const most =
      free !== null
        ? room + free.size
        : isCareful
          ? carefulWindow
          : type.batch?.perKey === true
            ? room
            : Math.max(1, Math.min(each * bounds.weight, room, bounds.concurrency ?? Infinity));
    // The end of a pause is decided again by the time of the read.
    const isPaused = activePauseOf(document, document.heldUntil ?? new Date(0)) !== null;
    return [
      { document, turn, bounds, agingMs, most: isPaused ? 0 : most, isCareful, isRandom, free },
    ];
  });
};

const carefulWindow = 20;
