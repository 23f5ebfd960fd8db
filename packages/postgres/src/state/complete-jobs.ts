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
import { refusedState } from "../migrations/0001-create-store/refuse-commit.ts";
import { newJobColumns, newJobColumnTypes, toCreatedJob } from "../new-job-columns.ts";
import type { PgRow } from "../state-provider.ts";
import type { StoreNames } from "../store-names.ts";
import { idMaker } from "./make-ids.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

const argTypes = [
  ...["text", "id[]", "integer[]", "text[]", "id[]"],
  ...[...newJobColumnTypes, "integer[]", "boolean"],
];

export const completeJobs = (db: PgDatabase, generateId: () => string): PgState["completeJobs"] => {
  const complete = db.routine("complete_jobs", argTypes);
  const completeAndCommit = db.lastRoutine("complete_jobs", argTypes, columnsUnlessLost(db.names));
  const makeIds = idMaker(db, generateId);
  const lookFirst = createLookFirst();

  return async ({ context, workerId, completions, andCommit = false }) => {
    if (completions.length === 0) return { results: [], unblocked: [] };
    const next = completions.map(continuationOf);
    const newCount = next.reduce((count, job) => (job === null ? count : count + 1), 0);
    const made = newCount === 0 ? [] : await makeIds(newCount, context);
    const nextIds = idsOf(completions, made);
    const params = [
      workerId,
      db.ids(completions.map(({ jobId }) => jobId)),
      column(completions, ({ leaseVersion }) => leaseVersion),
      column(completions, ({ outcome }) => (outcome.kind === "output" ? outcome.output : null)),
      db.storableIds(nextIds),
      ...newJobColumns(next),
      column(next, (job) => job?.position ?? null),
      String(lookFirst.isWorthIt),
    ];
    const committed = andCommit ? await completeAndCommit(params, context).catch(lostRowOf) : null;
    const rows = committed ?? (await complete(params, context));
    const last = rows.at(-1);
    if (last?.["kind"] === "summary") lookFirst.learn(last["detail"] === "true");
    return toResult({ completions, nextIds, workerId }, rows);
  };
};

// What was not written must not be committed with the rest: a row that says so becomes an error, which carries it. Of the
// others those columns that are read: describing all of them would cost as much as completing.
const columnsUnlessLost = ({ schema }: StoreNames): string =>
  `r.kind, r.detail, r.id, r.type_name, r.sequence_id, r.sequence_type_name, r.root_sequence_id,
    r.origin_id, r.ordinal, r.created_at_us, r.scheduled_at_us, r.finished_at_us,
    CASE WHEN r.kind = 'lost' THEN ${schema}.refuse_commit(row_to_json(r)::text) END AS refused`;

const lostRowOf = (error: unknown): readonly PgRow[] => {
  const { code, detail } = error as { readonly code?: unknown; readonly detail?: unknown };
  if (code !== refusedState || typeof detail !== "string") throw error;
  return [JSON.parse(detail) as PgRow];
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
