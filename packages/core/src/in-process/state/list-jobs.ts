import type { ListJobsParams } from "../../adapters/state-adapter-queries.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { Database, InProcessContext } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { type JobCell, type JobState, stateOf, type View } from "../job-cell.ts";
import { isCreatedWithin } from "../list-filter.ts";
import { walkOne } from "../ordinal-list.ts";
import type { Store } from "../store.ts";
import { toStateJob } from "../to-state-job.ts";

export const listJobs =
  (database: Database): InProcessMethod<"listJobs"> =>
  async (params) =>
    params.limit <= 0
      ? []
      : database.read(params.context, "listJobs", (store, view) => page(store, params, view));

type Params = ListJobsParams<InProcessContext>;

const page = (store: Store, params: Params, view: View): readonly StateJob[] => {
  const jobs: StateJob[] = [];
  for (const cell of candidates(store, params)) {
    const state = stateOf(cell, view);
    if (state === undefined || !matches(cell, state, params)) continue;
    jobs.push(toStateJob(cell, state));
    if (jobs.length === params.limit) break;
  }
  return jobs;
};

/** The shortest list that holds every match, from the cursor on. */
const candidates = (store: Store, params: Params): Iterable<JobCell> => {
  const { sequenceId, rootSequenceId, order, afterOrdinal } = params;
  if (sequenceId !== null) {
    const first = store.cells.get(sequenceId);
    if (first === undefined) return [];
    return first.chain?.walk(order, afterOrdinal) ?? walkOne(first, order, afterOrdinal);
  }
  if (rootSequenceId !== null) return store.tree(rootSequenceId)?.walk(order, afterOrdinal) ?? [];
  return store.jobs.walk(order, afterOrdinal);
};

const matches = (cell: JobCell, state: JobState, params: Params): boolean =>
  (params.typeNames === null || params.typeNames.includes(cell.typeName)) &&
  (params.statuses === null || params.statuses.includes(state.status)) &&
  (params.sequenceId === null || params.sequenceId === cell.first.id) &&
  (params.rootSequenceId === null || params.rootSequenceId === cell.rootSequenceId) &&
  isCreatedWithin(cell, params);
