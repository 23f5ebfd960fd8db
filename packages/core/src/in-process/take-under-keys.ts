// The jobs under keys that an acquisition takes. The keys are in the order of their turns.
import type { BatchCondition } from "../adapters/state-adapter-limits.ts";
import { Gate } from "../adapter-kit/limit-gate.ts";
import { type Acquisition, type Look, nextDue, take, type WantedType } from "./acquisition.ts";
import { activePauseOf } from "./limits.ts";
import { activePauses, pausedUntil } from "./pauses.ts";
import type { StoredJob } from "./stored-job.ts";
import { keyId } from "./key-id.ts";
import type { KeyQueue } from "./type-queue.ts";

/** Takes jobs under keys, each key in its turn, until there are `end` jobs in all. */
export const takeKeyed = (acquisition: Acquisition, type: WantedType, end: number): Look => {
  const { keys } = type.queue;
  const { store, jobs } = acquisition;
  const batch = type.batch?.perKey === true ? type.batch : undefined;
  if (batch !== undefined) takeBatch(acquisition, type, batch, end);
  for (
    let before = batch === undefined ? -1 : jobs.length;
    before < jobs.length && jobs.length < end;
  ) {
    before = jobs.length;
    for (const [id, line] of [...keys]) {
      const last = jobs.length;
      takeTurn(acquisition, type, line, end);
      const hasServed = jobs.length > last && line.used === 0;
      // Its next turn comes after those of the others. A key without jobs is new when it has one again.
      if (hasServed || line.earliest(store.now) === undefined) keys.delete(id);
      if (hasServed) keys.set(id, line);
      if (jobs.length >= end) break;
    }
  }
  let [at, isLimited] = [Infinity, false];
  for (const line of keys.values()) {
    const ripeAt = batch === undefined ? 0 : line.batchAt(store.now, batch);
    const look =
      ripeAt > store.now ? { at: ripeAt, isLimited: false } : lookAtKey(acquisition, line);
    at = Math.min(at, look.at);
    isLimited ||= look.isLimited;
  }
  return { at, isLimited };
};

/** The first key of which a batch can start. */
const takeBatch = (
  acquisition: Acquisition,
  type: WantedType,
  batch: BatchCondition,
  end: number,
): void => {
  const { store, jobs } = acquisition;
  const { keys } = type.queue;
  const before = jobs.length;
  for (const [id, line] of [...keys]) {
    if (jobs.length > before || jobs.length >= end) return;
    line.used = 0;
    if (line.batchAt(store.now, batch) <= store.now) takeTurn(acquisition, type, line, end, end);
    line.used = 0;
    if (jobs.length > before || line.earliest(store.now) === undefined) keys.delete(id);
    if (jobs.length > before) keys.set(id, line);
  }
};

/**
 * `weight`: how many jobs the key starts in its turn. Without room for all of them, it keeps its place, and starts the others
 * first in the next acquisition.
 */
const takeTurn = (
  acquisition: Acquisition,
  type: WantedType,
  line: KeyQueue,
  end: number,
  weight: number = acquisition.gates.ofKey(line.limitKey).weight,
): void => {
  const { jobs, gates } = acquisition;
  // The weight may have been lowered.
  if (line.used >= weight) line.used = 0;
  for (; line.used < weight && jobs.length < end && acquisition.slots > 0; line.used++) {
    const stored = dueUnderKey(acquisition, line);
    const cost = stored?.state?.limitKey?.cost ?? 1;
    const { gate } = obstacle(acquisition, line, cost);
    if (stored?.state === undefined || gate !== null) {
      // An overall bound is a lack of room.
      const isRoom = gate instanceof Gate && gate !== gates.ofKey(line.limitKey);
      if (stored?.state === undefined || !isRoom) line.used = 0;
      return;
    }
    take(acquisition, type, stored, stored.state);
    for (const open of gatesOf(acquisition, line)) open?.start(cost);
    acquisition.slots--;
  }
  if (line.used >= weight) line.used = 0;
};

const dueUnderKey = ({ store }: Acquisition, line: KeyQueue): StoredJob | undefined =>
  nextDue(store, line, store.limits.get(line.limitKey.limitName)?.agingMs ?? null);

const gatesOf = (
  { gates }: Acquisition,
  { typeName, limitKey }: KeyQueue,
): readonly (Gate | undefined)[] => [
  gates.ofLimit(typeName),
  limitKey.limitName === typeName ? undefined : gates.ofLimit(limitKey.limitName),
  gates.ofKey(limitKey),
];

/** The first gate that admits no such job, or the pause of the key; null if it may start. */
const obstacle = (
  acquisition: Acquisition,
  line: KeyQueue,
  cost: number,
): { readonly gate: Gate | "paused" | null; readonly at: number } => {
  const { store } = acquisition;
  const pause = activePauseOf(store.limitKeys.get(keyId(line.limitKey)), store.now);
  const ofLimit = pausedUntil(activePauses(store), line.limitKey.limitName);
  const end = pause === null ? 0 : (pause.until ?? Infinity);
  const at = Math.max(end, ofLimit);
  if (at > 0) return { gate: "paused", at };
  const gate = gatesOf(acquisition, line).find((one) => one !== undefined && !one.admits(cost));
  return gate === undefined ? { gate: null, at: 0 } : { gate, at: gate.lookAt(cost) };
};

const lookAtKey = (acquisition: Acquisition, line: KeyQueue): Look => {
  const stored = dueUnderKey(acquisition, line);
  const dueAt = line.earliest(acquisition.store.now) ?? Infinity;
  if (stored?.state === undefined) return { at: dueAt, isLimited: false };
  const { gate, at } = obstacle(acquisition, line, stored.state.limitKey?.cost ?? 1);
  if (gate !== null) return { at, isLimited: gate !== "paused" };
  return acquisition.slots > 0
    ? { at: dueAt, isLimited: false }
    : { at: Infinity, isLimited: true };
};
