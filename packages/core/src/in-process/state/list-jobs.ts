import type { ListJobsParams } from "../../adapters/state-adapter-queries.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Database, InProcessContext, InProcessMethod } from "../database.ts";
import { type StoredJob, type JobState, stateOf, toStateJob, type View } from "../stored-job.ts";
import { isCreatedWithin } from "../views.ts";
import { walkOne } from "../ordinal-list.ts";
import type { Store } from "../store.ts";

export const listJobs =
  (database: Database): InProcessMethod<"listJobs"> =>
  async (params) =>
    params.limit <= 0
      ? []
      : database.read(params.context, "listJobs", (store, view) => page(store, params, view));

type Params = ListJobsParams<InProcessContext>;

const page = (store: Store, params: Params, view: View): readonly StateJob[] => {
  const jobs: StateJob[] = [];
  for (const stored of candidates(store, params)) {
    const state = stateOf(stored, view);
    if (state === undefined || !matches(stored, state, params)) continue;
    jobs.push(toStateJob(stored, state));
    if (jobs.length === params.limit) break;
  }
  return jobs;
};

/** The shortest list that holds every match, from the cursor on. */
const candidates = (store: Store, params: Params): Iterable<StoredJob> => {
  const { sequenceId, rootSequenceId, order, afterOrdinal } = params;
  if (sequenceId !== null) {
    const first = store.byId.get(sequenceId);
    if (first === undefined) return [];
    return first.chain?.walk(order, afterOrdinal) ?? walkOne(first, order, afterOrdinal);
  }
  if (rootSequenceId !== null) return store.tree(rootSequenceId)?.walk(order, afterOrdinal) ?? [];
  return store.jobs.walk(order, afterOrdinal);
};

const matches = (stored: StoredJob, state: JobState, params: Params): boolean =>
  (params.typeNames === null || params.typeNames.includes(stored.typeName)) &&
  (params.sequenceTypeNames?.includes(stored.first.typeName) ?? true) &&
  (params.statuses === null || params.statuses.includes(state.status)) &&
  (params.sequenceId === null || params.sequenceId === stored.first.id) &&
  (params.rootSequenceId === null || params.rootSequenceId === stored.rootSequenceId) &&
  isCreatedWithin(stored, params);
