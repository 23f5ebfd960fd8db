// Workers without a free place for a job, and the jobs that hold their places.
import type { StoreCondition } from "../../adapters/job-condition.ts";
import type { StoredWorker } from "../../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { duration } from "../../model/duration-text.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { PlaceHolder, ReasonOf } from "../../public-types/explanation.ts";
import { type Evidence, liveWorkersOf } from "./evidence.ts";
import { countOf, nameOf, toRef } from "./words.ts";

/** Running jobs that are looked at. More places are not compared. */
const runningMax = 1_000;
const examineMax = 10_000;
const holdersMax = 5;

/** By the reports of the workers alone, for lists. */
export const full = (live: readonly StoredWorker[] | null): readonly ReasonOf<"workers_full">[] =>
  live === null || live.length === 0 || live.some(hasRoom) ? [] : [toReason(live, sumOf(live), [])];

const hasRoom = ({ busy, concurrency }: StoredWorker): boolean => busy < concurrency;

interface Places {
  readonly slots: number;
  readonly busy: number;
}

const sumOf = (live: readonly StoredWorker[]): Places => ({
  slots: live.reduce((sum, { concurrency }) => sum + concurrency, 0),
  busy: live.reduce((sum, worker) => sum + worker.busy, 0),
});

/** With the jobs that run. A worker with room may run no more jobs of this type. Undefined: a worker has a place. */
export const gatherFull = async (
  state: AnyStateAdapter,
  { typeName }: StateJob,
  evidence: Evidence,
): Promise<ReasonOf<"workers_full"> | undefined> => {
  const live = liveWorkersOf(typeName, evidence) ?? [];
  if (live.length === 0) return undefined;
  const ownLimit = (worker: StoredWorker): number | null =>
    worker.types.find((type) => type.typeName === typeName)?.concurrency ?? null;
  const withRoom = live.filter(hasRoom);
  if (withRoom.some((worker) => ownLimit(worker) === null)) return undefined;
  const running = await runningOn(state, live, evidence.now);
  if (withRoom.length === 0) return toReason(live, sumOf(live), toHolders(running, evidence.now));
  // Some have a place for other types only.
  const ofType = running.filter((job) => job.typeName === typeName);
  const ofWorker = ({ workerId }: StoredWorker): number =>
    ofType.filter(({ leasedBy }) => leasedBy === workerId).length;
  const isFull = (worker: StoredWorker): boolean =>
    !hasRoom(worker) || ofWorker(worker) >= (ownLimit(worker) ?? Infinity);
  if (!live.every(isFull)) return undefined;
  const slots = live.reduce(
    (sum, worker) => sum + Math.min(ownLimit(worker) ?? Infinity, worker.concurrency),
    0,
  );
  return toReason(live, { slots, busy: ofType.length }, toHolders(ofType, evidence.now), typeName);
};

const runningOn = async (
  { operator }: AnyStateAdapter,
  live: readonly StoredWorker[],
  now: Date,
): Promise<readonly StateJob[]> => {
  const workerIds = [...new Set(live.map(({ workerId }) => workerId))];
  const conditions: readonly StoreCondition[] = [
    { field: "status", anyOf: ["running"], negated: false },
    { field: "text", of: "leasedBy", anyOf: workerIds, negated: false },
  ];
  const found = await operator?.examineJobs?.({
    ...{ conditions, order: "asc", limit: runningMax, examineMax },
    ...{ afterOrdinal: null, ordinalMax: null },
  });
  // The place of a lease that has expired may be free.
  return (found?.jobs ?? []).filter(({ leasedUntil }) => leasedUntil !== null && leasedUntil > now);
};

/** The longest first. */
const toHolders = (running: readonly StateJob[], now: Date): readonly PlaceHolder[] =>
  running
    .map((job) => ({
      ...toRef(job),
      workerId: job.leasedBy ?? "",
      forMs: now.getTime() - (job.lastAttemptAt ?? now).getTime(),
    }))
    .sort((left, right) => right.forMs - left.forMs)
    .slice(0, holdersMax);

/** `typeName`: the workers have places for other types. */
const toReason = (
  live: readonly StoredWorker[],
  { slots, busy }: Places,
  holders: readonly PlaceHolder[],
  typeName?: string,
): ReasonOf<"workers_full"> => {
  const of = typeName === undefined ? "" : ` for ${typeName}`;
  const [longest] = holders;
  const held =
    longest === undefined
      ? ""
      : ` The longest runs ${nameOf(longest)}, for ${duration(longest.forMs)} on worker ${longest.workerId}.`;
  const text = `All ${countOf(slots, "slot")}${of} of ${countOf(live.length, "worker")} are busy.${held}`;
  return { kind: "workers_full", online: live.length, slots, busy, holders, text };
};
