// Step 2 of the walk: jobs are stored.
import type { NewEntryJob, NewStateJob } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { findKeyed } from "../deduplication-index.ts";
import { insertContinuation, insertEntryJob } from "../insert-job.ts";
import type { StoredJob } from "../stored-job.ts";
import { requireJob } from "../views.ts";

export const createJobs =
  (database: Database): InProcessMethod<"createJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write(context, "createJobs", () => jobs.map((job) => createJob(database, job)));

const createJob = (
  database: Database,
  job: NewStateJob,
): { readonly job: ReturnType<typeof requireJob>; readonly deduplicated: boolean } => {
  if (job.kind === "continuation") {
    return { job: requireJob(insertContinuation(database, job)), deduplicated: false };
  }
  const found = findDuplicate(database, job);
  return found === undefined
    ? { job: requireJob(insertEntryJob(database, job)), deduplicated: false }
    : { job: requireJob(found), deduplicated: true };
};

const findDuplicate = ({ store }: Database, job: NewEntryJob): StoredJob | undefined => {
  const { id, deduplication, typeName } = job;
  if (id !== undefined) {
    const stored = store.byId.get(id);
    return stored?.state === undefined ? undefined : stored;
  }
  return deduplication === null
    ? undefined
    : findKeyed(store.queueOf(typeName), deduplication, store.now);
};
