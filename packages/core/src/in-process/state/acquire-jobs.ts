// Step 4 of the walk: due jobs are acquired. One write makes a job running and gives it a lease.
import { type Acquisition, type Look, nextDue, take, type WantedType } from "../acquisition.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { remainingMs } from "../instants.ts";
import { Gates } from "../limits.ts";
import { activePauses, pausedUntil } from "../pauses.ts";
import type { Store } from "../store.ts";
import { takeKeyed } from "../take-under-keys.ts";
import type { TypeQueue } from "../type-queue.ts";

export const acquireJobs =
  (database: Database): InProcessMethod<"acquireJobs"> =>
  async (params) =>
    params.types.length === 0
      ? { jobs: [], nextDueInMs: null }
      : database.write(undefined, "acquireJobs", (store) => {
          store.leases.noticeExpired(store.now);
          const active = activePauses(store);
          const wanted = params.types.flatMap((type) =>
            pausedUntil(active, type.typeName) > 0
              ? []
              : [{ ...type, queue: store.queueOf(type.typeName) }],
          );
          const resumesAt = params.types.map(({ typeName }) => pausedUntil(active, typeName));
          // The type with the oldest turn is first, so that a busy type cannot starve the others.
          wanted.sort((left, right) => left.queue.lastTurn - right.queue.lastTurn);
          for (const { queue } of wanted) endWaits(store, queue);
          const acquisition: Acquisition = {
            ...{ store, params, gates: new Gates(store), jobs: [] },
            slots: params.slots ?? params.limit,
          };
          const looks = wanted.map((type) => acquireType(acquisition, type));
          const nextAt = Math.min(
            Infinity,
            ...resumesAt.filter((at) => at > 0),
            ...looks.map(({ at }) => at),
          );
          return {
            jobs: acquisition.jobs,
            nextDueInMs: nextAt === Infinity ? null : remainingMs(nextAt, store.now),
            isLimited: looks.some(({ isLimited }) => isLimited),
            storeTime: new Date(store.now),
          };
        });

/** The jobs whose wait has ended go on without the blockers that have not completed. */
const endWaits = (store: Store, queue: TypeQueue): void => {
  for (let stored = queue.overdue(store.now); stored; stored = queue.overdue(store.now)) {
    if (stored.state === undefined) return;
    store.put(stored, { ...stored.state, status: "pending", releasedAt: store.now });
  }
};

/** If jobs with and without keys are due, each get half of the room, and then the rest. */
const acquireType = (acquisition: Acquisition, type: WantedType): Look => {
  const { jobs, params } = acquisition;
  const { queue } = type;
  const end = jobs.length + Math.max(0, Math.min(type.limit, params.limit - jobs.length));
  if (queue.keys.size === 0) return takePlain(acquisition, type, end);
  queue.keysAreFirst = !queue.keysAreFirst;
  const takers = queue.keysAreFirst ? [takeKeyed, takePlain] : [takePlain, takeKeyed];
  // The jobs of one of the two are the batch.
  if (type.batch?.perKey === true) {
    const before = jobs.length;
    return bothLooks(
      takers.map((take) => take(acquisition, type, jobs.length > before ? jobs.length : end)),
    );
  }
  const half = jobs.length + Math.ceil((end - jobs.length) / 2);
  takers[0]?.(acquisition, type, half);
  return bothLooks([...takers].reverse().map((take) => take(acquisition, type, end)));
};

const bothLooks = (looks: readonly Look[]): Look => ({
  at: Math.min(...looks.map(({ at }) => at)),
  isLimited: looks.some(({ isLimited }) => isLimited),
});

/** Takes jobs without a key until there are `end` jobs in all. */
const takePlain = (acquisition: Acquisition, type: WantedType, end: number): Look => {
  const { store, jobs } = acquisition;
  const { queue, batch } = type;
  const lookAt = (): number =>
    batch === undefined ? (queue.earliest(store.now) ?? Infinity) : queue.batchAt(store.now, batch);
  // A batch that is not ripe is as if its type were paused.
  if (batch !== undefined && lookAt() > store.now) return { at: lookAt(), isLimited: false };
  const gate = acquisition.gates.ofLimit(queue.typeName);
  const agingMs = store.limits.get(queue.typeName)?.agingMs ?? null;
  const isOpen = (): boolean => gate === undefined || (acquisition.slots > 0 && gate.admits(1));
  while (jobs.length < end && isOpen()) {
    const stored = nextDue(store, queue, agingMs);
    if (stored?.state === undefined) break;
    take(acquisition, type, stored, stored.state);
    if (gate === undefined) continue;
    gate.start(1);
    acquisition.slots--;
  }
  const at = lookAt();
  if (gate === undefined || isOpen() || nextDue(store, queue, agingMs) === undefined) {
    return { at, isLimited: false };
  }
  // Without a slot there is no time to wait for: the end of an attempt is the reason to look again.
  return { at: gate.admits(1) ? Infinity : gate.lookAt(1), isLimited: true };
};
