import type { TriggerResult } from "../../adapters/state-adapter-params.ts";
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import type { Store } from "../store.ts";
import { toReference } from "../to-state-job.ts";

export const triggerJobs =
  (database: Database): InProcessMethod<"triggerJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write(context, "triggerJobs", (store) => ids.map((id) => trigger(store, id)));

const trigger = (store: Store, id: string): TriggerResult => {
  const cell = store.cells.get(id);
  const state = cell?.state;
  if (cell === undefined || state === undefined) return { kind: "refused", reason: "not_found" };
  if (state.status !== "pending") return { kind: "refused", reason: "not_pending" };
  // One that is due already keeps its place.
  if (state.scheduledAt > store.now) store.put(cell, { ...state, scheduledAt: store.now });
  return { kind: "triggered", job: toReference(cell) };
};
