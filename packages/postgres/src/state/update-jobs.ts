// Jobs that do not run get another input, due time or priority. Their ready rows are taken away and put back, so that no worker
// acquires them before the commit.
import type { UpdateJobsParams, UpdateResult } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../database.ts";
import { toStateJob } from "../job-row.ts";
import { costOf, keyIdOf } from "../limit-queue.ts";
import { scheduledAfterMs, scheduledAtText } from "../insert-jobs.ts";
import type { PgRow } from "../state-provider.ts";

type Element = UpdateJobsParams<object, string>["jobs"][number];

export const updateJobs = (db: PgDatabase): PgState["updateJobs"] => {
  const update = db.routine("update_jobs", {
    ids: "id[]",
    inputs: "text[]",
    reschedules: "boolean[]",
    at: "timestamptz[]",
    after_ms: "float8[]",
    priorities: "integer[]",
    within_ms: "float8[]",
    moves: "boolean[]",
    key_ids: "text[]",
    start_costs: "integer[]",
  });

  const updateOnce = async (
    context: object | undefined,
    jobs: readonly Element[],
  ): Promise<readonly UpdateResult[]> => {
    const rows = await update(
      {
        ids: db.ids(jobs.map(({ id }) => id)),
        inputs: column(jobs, ({ input }) => input),
        reschedules: column(jobs, ({ schedule }) => schedule !== null),
        at: column(jobs, ({ schedule }) => scheduledAtText(schedule)),
        after_ms: column(jobs, ({ schedule }) => scheduledAfterMs(schedule)),
        priorities: column(jobs, ({ priority }) => priority),
        within_ms: column(jobs, ({ dueWithinMs }) => dueWithinMs),
        moves: column(jobs, ({ limitKey }) => limitKey !== undefined),
        key_ids: column(jobs, ({ limitKey }) => (limitKey ? keyIdOf(limitKey) : null)),
        start_costs: column(jobs, ({ limitKey }) => costOf(limitKey)),
      },
      context,
    );
    const byElement = new Map(rows.map((row) => [Number(row["element"]) - 1, row]));
    return jobs.map((_, index) => toResult(byElement.get(index)));
  };

  return async ({ context, jobs }) => (jobs.length === 0 ? [] : updateOnce(context, jobs));
};

const toResult = (row: PgRow | undefined): UpdateResult => {
  if (row !== undefined && row["refusal"] === null) {
    return { kind: "updated", job: toStateJob(row["job"]) };
  }
  const reason = row?.["refusal"] === "not_updatable" ? "not_updatable" : "not_found";
  return { kind: "refused", reason };
};
