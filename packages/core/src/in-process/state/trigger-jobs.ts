import type { TriggerResult } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessMethod } from "../database.ts";
import type { Store } from "../store.ts";
import { toReference } from "../views.ts";

export const triggerJobs =
  (database: Database): InProcessMethod<"triggerJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write(context, "triggerJobs", (store) => ids.map((id) => trigger(store, id)));

const trigger = (store: Store, id: string): TriggerResult => {
  const stored = store.byId.get(id);
  const state = stored?.state;
  if (stored === undefined || state === undefined) return { kind: "refused", reason: "not_found" };
  if (state.status !== "pending") return { kind: "refused", reason: "not_pending" };
  // A job that is due already keeps its place.
  if (state.scheduledAt > store.now) store.put(stored, { ...state, scheduledAt: store.now });
  return { kind: "triggered", job: toReference(stored) };
};
