// Steps 6 and 7 of the walk: outputs are stored, continuations created, sequences end and whoever waited for them
// is released, all in one statement and so in one transaction, the caller's if there is one.
import type {
  CompletionResult,
  JobCompletion,
  LeaseLostReason,
  NewContinuationJob,
} from "queuert/internal";
import { column } from "../database.ts";
import { toDate, toText } from "../job-row.ts";
import { createLookFirst } from "../look-first.ts";
import { toStateJobReference } from "../job-reference.ts";
import { newJobColumns, newJobColumnTypes, toCreatedJob } from "../new-job-columns.ts";
import type { PgRow } from "../state-provider.ts";
import { idMaker } from "./make-ids.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

const argTypes = [
  ...["text", "id[]", "integer[]", "text[]", "id[]"],
  ...[...newJobColumnTypes, "integer[]", "boolean"],
];

export const completeJobs = (db: PgDatabase, generateId: () => string): PgState["completeJobs"] => {
  const complete = db.routine("complete_jobs", argTypes);
  const makeIds = idMaker(db, generateId);
  const lookFirst = createLookFirst();

  return async ({ context, workerId, completions }) => {
    if (completions.length === 0) return { results: [], unblocked: [] };
    const next = completions.map(continuationOf);
    const newCount = next.reduce((count, job) => (job === null ? count : count + 1), 0);
    const made = newCount === 0 ? [] : await makeIds(newCount, context);
    const nextIds = idsOf(completions, made);
    const rows = await complete(
      [
        workerId,
        db.ids(completions.map(({ jobId }) => jobId)),
        column(completions, ({ leaseVersion }) => leaseVersion),
        column(completions, ({ outcome }) => (outcome.kind === "output" ? outcome.output : null)),
        db.storableIds(nextIds),
        ...newJobColumns(next),
        column(next, (job) => job?.position ?? null),
        String(lookFirst.isWorthIt),
      ],
      context,
    );
    lookFirst.learn(rows.at(-1)?.["detail"] === "true");
    return toResult({ completions, nextIds, workerId }, rows);
  };
};

const continuationOf = ({ outcome }: JobCompletion): NewContinuationJob | null =>
  outcome.kind === "continuation" ? outcome.job : null;

/** The id of each completion's next job: named by the caller, or a new one. */
const idsOf = (
  completions: readonly JobCompletion[],
  made: readonly string[],
): readonly (string | null)[] => {
  let used = 0;
  return completions.map(({ outcome }) => {
    if (outcome.kind === "output") return null;
    return outcome.kind === "continuedTo" ? outcome.jobId : (made[used++] ?? null);
  });
};

interface Asked {
  readonly completions: readonly JobCompletion[];
  readonly nextIds: readonly (string | null)[];
  readonly workerId: string | null;
}

const toResult = (
  { completions, nextIds, workerId }: Asked,
  rows: readonly PgRow[],
): Awaited<ReturnType<PgState["completeJobs"]>> => {
  const created = new Map<string, PgRow>();
  const lost = new Map<number, PgRow>();
  const unblocked: PgRow[] = [];
  let completedAt = new Date(Number.NaN);
  for (const row of rows) {
    if (row["kind"] === "created") created.set(String(row["id"]), row);
    else if (row["kind"] === "lost") lost.set(Number(row["element"]) - 1, row);
    else if (row["kind"] === "unblocked") unblocked.push(row);
    else if (row["kind"] === "summary") completedAt = toDate(row["finished_at_us"]);
  }
  const results = completions.map((completion, index): CompletionResult => {
    const lostRow = lost.get(index);
    if (lostRow !== undefined) return toLost(lostRow, completion, workerId);
    const next = continuationOf(completion);
    const row = created.get(nextIds[index] ?? "");
    const continuation =
      next !== null && row !== undefined ? toCreatedJob(next, String(row["id"]), row) : null;
    return { kind: "completed", completedAt, continuation };
  });
  return {
    results,
    unblocked: unblocked.map((row) => ({
      ...toStateJobReference(row),
      unblockedBySequenceId: toText(row["detail"]),
    })),
  };
};

const toLost = (
  row: PgRow,
  { leaseVersion }: JobCompletion,
  workerId: string | null,
): CompletionResult => ({
  kind: "lost",
  reason: row["detail"] as LeaseLostReason,
  // Completing without a worker stores no worker, and changes no lease version: both have to match.
  storedByThisLease:
    leaseVersion !== null &&
    row["status"] === "completed" &&
    row["completed_by"] === workerId &&
    Number(row["lease_version"]) === leaseVersion,
});
