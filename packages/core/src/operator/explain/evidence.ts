// The facts that all explanations of one moment share: the time, the workers and the pauses.
import { lateFactor, type StoredWorker } from "../../adapters/operator-store.ts";
import type { StatePause } from "../../adapters/state-adapter-params.ts";
import type { StateLimitState } from "../../adapters/state-adapter-limits.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { UnknownFact, WorkerPresence } from "../../public-types/explanation.ts";

export interface Evidence {
  readonly now: Date;
  /** Null: the store keeps no registry. */
  readonly workers: readonly StoredWorker[] | null;
  /** The pauses that have not ended. */
  readonly pauses: readonly StatePause[];
  readonly limits: readonly StateLimitState[];
  readonly unknown: readonly UnknownFact[];
}

/** Reads the clock and the registry of a store. */
export const gatherEvidence = async (state: AnyStateAdapter): Promise<Evidence> => {
  const { operator } = state;
  const [now, workers, pauses, limits] = await Promise.all([
    operator?.readClock?.() ?? null,
    operator?.listWorkers?.() ?? null,
    state.getPauses(),
    state.getLimits({ names: null }),
  ]);
  const unknown: UnknownFact[] = [];
  if (now === null) unknown.push("clock");
  if (workers === null) unknown.push("workers");
  return { now: now ?? new Date(), workers, pauses, limits, unknown };
};

/** A worker that reports in time is online. One that missed a report is late, and gone soon after. */
export const presenceOf = (
  { state, beatAt, beatMs }: Pick<StoredWorker, "state" | "beatAt" | "beatMs">,
  now: Date,
): Exclude<WorkerPresence, "unknown"> => {
  if (state === "stopped") return "gone";
  const ageMs = now.getTime() - beatAt.getTime();
  if (ageMs < beatMs * 1.5) return "online";
  return ageMs < beatMs * lateFactor ? "late" : "gone";
};

/** Workers that are not gone and implement the type; null: not known. */
export const liveWorkersOf = (
  typeName: string,
  { workers, now }: Evidence,
): readonly StoredWorker[] | null =>
  workers?.filter(
    (worker) =>
      worker.state === "running" &&
      presenceOf(worker, now) !== "gone" &&
      worker.types.some((type) => type.typeName === typeName),
  ) ?? null;

/** The newest report of a worker of this name. */
export const newestReport = (workerId: string, { workers }: Evidence): StoredWorker | undefined =>
  workers
    ?.filter((worker) => worker.workerId === workerId)
    .sort((left, right) => right.beatAt.getTime() - left.beatAt.getTime())[0];
