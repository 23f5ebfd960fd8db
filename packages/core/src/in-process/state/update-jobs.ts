// Jobs that do not run get another input, due time or priority.
import type { UpdateJobsParams, UpdateResult } from "../../adapters/state-adapter-updates.ts";
import type { Database, InProcessContext, InProcessMethod } from "../database.ts";
import { toInstant } from "../instants.ts";
import type { Store } from "../store.ts";
import { requireJob } from "../views.ts";

export const updateJobs =
  (database: Database): InProcessMethod<"updateJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write(context, "updateJobs", (store) => jobs.map((job) => update(store, job)));

const update = (
  store: Store,
  {
    id,
    input,
    schedule,
    priority,
    dueWithinMs,
    limitKey,
  }: UpdateJobsParams<InProcessContext, string>["jobs"][number],
): UpdateResult => {
  const stored = store.byId.get(id);
  const state = stored?.state;
  if (stored === undefined || state === undefined) return { kind: "refused", reason: "not_found" };
  const { status } = state;
  if (status !== "pending" && status !== "blocked" && status !== "failed") {
    return { kind: "refused", reason: "not_updatable" };
  }
  const latest = stored.createdAt + (dueWithinMs ?? Infinity);
  store.put(stored, {
    ...state,
    input: input ?? state.input,
    priority: priority ?? state.priority,
    limitKey: limitKey === undefined ? state.limitKey : limitKey,
    scheduledAt:
      schedule === null ? state.scheduledAt : Math.min(toInstant(schedule, store.now), latest),
  });
  return { kind: "updated", job: requireJob(stored) };
};
