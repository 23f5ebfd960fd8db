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
