// The workers of the registry as operators see them.
import type { StoredWorker } from "../../adapters/operator-store.ts";
import type { WorkerPresence } from "../../public-types/explanation.ts";
import { type Evidence, presenceOf } from "../explain/evidence.ts";

/** A worker that has reported. */
export interface WorkerView extends StoredWorker {
  readonly presence: Exclude<WorkerPresence, "unknown">;
  /** Another live worker has the same `workerId`. */
  readonly isNameTaken: boolean;
}

/** A version of `queuert`, and how many live workers run it. */
export interface LibraryVersion {
  /** Null: a release that does not report its own. */
  readonly version: string | null;
  readonly workers: number;
}

/** The versions of the live workers, the most frequent first. */
export const libraryVersionsOf = ({
  workers,
  now,
}: Pick<Evidence, "workers" | "now">): readonly LibraryVersion[] => {
  const counts = new Map<string | null, number>();
  for (const worker of workers ?? []) {
    if (presenceOf(worker, now) === "gone") continue;
    counts.set(worker.libraryVersion, (counts.get(worker.libraryVersion) ?? 0) + 1);
  }
  return [...counts]
    .map(([version, number]) => ({ version, workers: number }))
    .sort((left, right) => right.workers - left.workers);
};

export const toWorkerViews = ({ workers, now }: Evidence): readonly WorkerView[] => {
  const views = (workers ?? []).map((worker) => ({ ...worker, presence: presenceOf(worker, now) }));
  const live = views.filter(({ presence }) => presence !== "gone");
  return views.map((view) => ({
    ...view,
    isNameTaken:
      view.presence !== "gone" &&
      live.some((other) => other !== view && other.workerId === view.workerId),
  }));
};
