// The jobs of one type under keys: `README.md` has the steps, and the races.
import type { AcquireJobsParams } from "queuert/internal";
import type { NewLease } from "../acquire-limited.ts";
import type { Database } from "../database.ts";
import { createStamp, type JobDocument } from "../job-document.ts";
import { busyKeyMs, holdKeys, leaveKeys } from "./hold-keys.ts";
import { type KeysLook, type KeysTurn, lookAtKeys } from "./look-at-keys.ts";
import { lookCarefully, unlessConflict } from "./look-carefully.ts";
import { readTurns, type TurnOfKey } from "./read-turns.ts";

type AcquiredType = AcquireJobsParams["types"][number];

export interface KeyedAcquisition {
  readonly jobs: readonly JobDocument[];
  /** Due jobs are kept back by bounds or slots. */
  readonly isLimited: boolean;
  /** Milliseconds until there may be more; Infinity: until the next turn, or the end of an attempt. */
  readonly lookInMs: number;
}

interface KeyedRoom {
  readonly most: number;
  readonly slots: number;
  /** Some type or some limit is paused. */
  readonly hasPauses: boolean;
}

/** More keys are looked at by the next round: keys whose jobs have ended may stand before the others. */
const keysMax = 100;
const roundsMax = 20;

/** Another acquisition has keys, or another transaction has jobs of them. */
const busyLookMs = 25;

export const acquireUnderKeys = async (
  db: Database,
  type: AcquiredType,
  { most, slots, hasPauses }: KeyedRoom,
  lease: NewLease,
): Promise<KeyedAcquisition> => {
  if (type.batch?.perKey === true) {
    return acquireBatch(db, type, { room: Math.min(most, slots), before: 0, hasPauses, lease });
  }
  const jobs: JobDocument[] = [];
  let isLimited = false;
  for (let round = 0; round < roundsMax; round++) {
    const room = Math.min(most - jobs.length, slots - jobs.length, keysMax);
    const wanted = Math.max(1, room);
    const turns = await readTurns(db, type.typeName, wanted);
    if (turns.keys.length === 0) return { jobs, isLimited, lookInMs: Infinity };
    // Their turns stay.
    if (room <= 0) return { jobs, isLimited: slots <= jobs.length, lookInMs: Infinity };
    const found = await takeTurns(db, type, turns.keys.slice(0, wanted), {
      ...{ room, before: jobs.length, hasPauses, lease },
    });
    for (const job of found.jobs) jobs.push(job);
    isLimited ||= found.isLimited;
    const isLast = !turns.isCut && turns.keys.length <= wanted && !found.hasMore;
    if (found.closedInMs < Infinity) return { jobs, isLimited: true, lookInMs: found.closedInMs };
    const isFull = jobs.length >= Math.min(most, slots);
    if (isFull && slots <= most)
      return { jobs, isLimited: isLimited || !isLast, lookInMs: Infinity };
    if (isFull) return { jobs, isLimited, lookInMs: isLast ? Infinity : 0 };
    if (isLast) return { jobs, isLimited, lookInMs: found.isBusy ? busyLookMs : Infinity };
    if (found.isBusy && found.jobs.length === 0) return { jobs, isLimited, lookInMs: busyLookMs };
  }
  return { jobs, isLimited, lookInMs: jobs.length < most ? 0 : Infinity };
};

/** Fewer of them are kept from others than in other looks: only one of them starts jobs. */
const batchKeysMax = 3;
const batchRoundsMax = 20;

/** The jobs of the first key of which a batch can start. */
const acquireBatch = async (
  db: Database,
  type: AcquiredType,
  given: Given,
): Promise<KeyedAcquisition> => {
  let isLimited = false;
  for (let round = 0; round < batchRoundsMax; round++) {
    const turns = await readTurns(db, type.typeName, batchKeysMax);
    if (turns.keys.length === 0) return { jobs: [], isLimited, lookInMs: Infinity };
    if (given.room <= 0) return { jobs: [], isLimited: true, lookInMs: Infinity };
    const found = await takeTurns(db, type, turns.keys.slice(0, batchKeysMax), given);
    isLimited ||= found.isLimited;
    if (found.jobs.length > 0) return { jobs: found.jobs, isLimited, lookInMs: Infinity };
    if (found.closedInMs < Infinity) {
      return { jobs: [], isLimited: true, lookInMs: found.closedInMs };
    }
    if (found.isBusy) return { jobs: [], isLimited, lookInMs: busyLookMs };
  }
  return { jobs: [], isLimited, lookInMs: 0 };
};

type Given = Pick<KeysLook, "room" | "before" | "hasPauses" | "lease">;

interface Found extends KeysTurn {
  /** Keys were left to others. */
  readonly isBusy: boolean;
}

const nothing: KeysTurn = { jobs: [], isLimited: false, hasMore: false, closedInMs: Infinity };

/** The jobs of these keys, in their order, without those that others have. */
const takeTurns = async (
  db: Database,
  type: AcquiredType,
  turns: readonly TurnOfKey[],
  given: Given,
): Promise<Found> => {
  const stamp = createStamp();
  const held = new Set(
    await holdKeys(
      db,
      stamp,
      turns.map(({ keyId }) => keyId),
    ),
  );
  const own = turns.filter(({ keyId }) => held.has(keyId));
  let isBusy = own.length < turns.length;
  const found: KeysTurn[] = [];
  let left = given.room;
  // Those that conflict are divided, until the keys with a locked job are alone.
  const groups: (readonly TurnOfKey[])[] = own.length === 0 ? [] : [own];
  for (let group = groups.pop(); group !== undefined && left > 0; group = groups.pop()) {
    const middle = Math.ceil(group.length / 2);
    const before = given.before + given.room - left;
    const look = { ...given, type, stamp, turns: group, room: left, before };
    const taken =
      (await unlessConflict(() =>
        lookAtKeys(db, { ...look, isCareful: false, isRandom: false, free: null }),
      )) ?? (group.length > 1 ? null : await lookCarefully(db, look));
    if (taken === null) {
      isBusy = true;
      if (group.length > 1) groups.push(group.slice(middle), group.slice(0, middle));
      else await leaveKeys(db, stamp, [group[0]?.keyId ?? ""], busyKeyMs);
    } else {
      found.push(taken);
      // A batch has jobs of one key.
      left = type.batch?.perKey && taken.jobs.length > 0 ? 0 : left - taken.jobs.length;
    }
  }
  // Without room they were not looked at.
  const rest = groups.flat().map(({ keyId }) => keyId);
  await leaveKeys(db, stamp, rest, 0);
  const all = found.length === 0 ? [nothing] : found;
  return {
    jobs: all.flatMap(({ jobs }) => jobs),
    isLimited: all.some(({ isLimited }) => isLimited),
    hasMore: all.some(({ hasMore }) => hasMore) || groups.length > 0,
    closedInMs: Math.min(...all.map(({ closedInMs }) => closedInMs)),
    isBusy,
  };
};
