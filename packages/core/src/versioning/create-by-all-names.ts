// New jobs of renamed types. They are stored with the name of today. A deduplication key is looked up under the former names
// first, in the transaction that stores the job.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type {
  CreatedStateJob,
  CreateJobsParams,
  NewEntryJob,
  NewStateJob,
} from "../adapters/state-adapter-params.ts";
import type { FormerNames } from "./former-names.ts";

type State = Pick<AnyStateAdapter, "createJobs" | "deleteSequences" | "runInTransaction">;
type KeyedJob = NewEntryJob & { readonly deduplication: object };

/** As `createJobs`. A sequence of a former name that holds the key is found, too. */
export const createByAllNames = async (
  state: State,
  names: FormerNames,
  params: CreateJobsParams<object>,
): Promise<readonly CreatedStateJob[]> => {
  const { jobs, context } = params;
  if (!jobs.some((job) => isRenamed(job, names))) return state.createJobs(params);
  if (context === undefined) {
    return state.runInTransaction((own) =>
      createByAllNames(state, names, { ...params, context: own }),
    );
  }
  const found = new Map<number, CreatedStateJob>();
  for (const [index, job] of jobs.entries()) {
    if (!isRenamed(job, names)) continue;
    const holder = await findHolder(state, names, context, job);
    if (holder !== null) found.set(index, holder);
  }
  const created = await state.createJobs({
    ...params,
    jobs: jobs.filter((_, index) => !found.has(index)),
  });
  let next = 0;
  return jobs.map((_, index) => found.get(index) ?? (created[next++] as CreatedStateJob));
};

const isRenamed = (job: NewStateJob, { allOf }: FormerNames): job is KeyedJob =>
  job.kind === "entry" && job.deduplication !== null && allOf(job.typeName).length > 1;

/**
 * The sequence of a former name that holds the key, or null. The contract has one way to look a key up under its lock: a
 * start. A job that it stores was not wanted, and is deleted in the same transaction.
 */
const findHolder = async (
  state: State,
  { allOf }: FormerNames,
  context: object,
  job: KeyedJob,
): Promise<CreatedStateJob | null> => {
  for (const typeName of allOf(job.typeName)) {
    if (typeName === job.typeName) continue;
    const own = { rootSequenceId: null, originId: null, awaitsBlockers: false };
    const probe: NewEntryJob = { ...job, ...own, typeName };
    const [holder] = await state.createJobs({ context, jobs: [probe] });
    if (holder === undefined) continue;
    if (holder.deduplicated) return holder;
    await state.deleteSequences({ context, rootSequenceIds: [holder.job.id] });
  }
  return null;
};
