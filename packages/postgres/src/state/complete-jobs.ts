// Steps 6 and 7 of the walk: outputs are stored, continuations created, sequences end and their dependants are released.
// All of it is one statement, and so one transaction: the caller's, if there is one.
import type {
  CompletionResult,
  JobCompletion,
  LeaseLostReason,
  NewContinuationJob,
} from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../database.ts";
import { toBoolean, toDate, toStateJobReference, toText } from "../job-row.ts";
import { newJobColumns, newJobColumnTypes, toCreatedJob } from "../insert-jobs.ts";
import { notCommitted } from "../sqlstates.ts";
import type { PgRow } from "../state-provider.ts";
import type { HeldLeases } from "./held-leases.ts";
import { idMaker } from "./create-jobs.ts";

const argTypes = {
  worker_id: "text",
  ids: "id[]",
  lease_versions: "integer[]",
  outputs: "text[]",
  continued_to_ids: "id[]",
  acquired_us: "float8[]",
  ...newJobColumnTypes,
  positions: "integer[]",
  commits: "boolean",
} as const;

const oneArgTypes = {
  worker_id: "text",
  id: "id",
  lease_version: "integer",
  output: "text",
  continued_to_id: "id",
  acquired_us: "float8",
  commits: "boolean",
} as const;

export const completeJobs = (
  db: PgDatabase,
  generateId: () => string,
  leases: HeldLeases,
): PgState["completeJobs"] => {
  const calls = {
    one: db.routine("complete_job", oneArgTypes),
    oneAndCommit: db.lastRoutine("complete_job", oneArgTypes),
    many: db.routine("complete_jobs", argTypes),
    manyAndCommit: db.lastRoutine("complete_jobs", argTypes),
  };
  const makeIds = idMaker(db, generateId);

  const completeOne = async (
    { context, workerId, andCommit = false }: Params,
    completion: JobCompletion,
  ): Promise<readonly PgRow[]> => {
    const { jobId, leaseVersion, outcome } = completion;
    const acquiredUs = leases.acquiredAtUs(completion);
    const args = {
      worker_id: workerId,
      id: db.id(jobId),
      lease_version: leaseVersion === null ? null : String(leaseVersion),
      output: outcome.kind === "output" ? outcome.output : null,
      continued_to_id: db.storableId(outcome.kind === "continuedTo" ? outcome.jobId : null),
      acquired_us: acquiredUs === null ? null : String(acquiredUs),
    };
    const committed = andCommit
      ? await calls.oneAndCommit({ ...args, commits: "true" }, context)
      : null;
    const rows = committed ?? (await calls.one({ ...args, commits: "false" }, context));
    const result = String(rows[0]?.["complete_job"]);
    if (result.startsWith("[")) return JSON.parse(result) as readonly PgRow[];
    return [{ kind: "summary", finished_at_us: result }];
  };

  const completeMany = async (
    { context, workerId, completions, andCommit = false }: Params,
    nextIds: readonly (string | null)[],
  ): Promise<readonly PgRow[]> => {
    const next = completions.map(continuationOf);
    const args = {
      worker_id: workerId,
      ids: db.ids(completions.map(({ jobId }) => jobId)),
      lease_versions: column(completions, ({ leaseVersion }) => leaseVersion),
      outputs: column(completions, ({ outcome }) =>
        outcome.kind === "output" ? outcome.output : null,
      ),
      continued_to_ids: db.storableIds(nextIds),
      acquired_us: column(completions, leases.acquiredAtUs),
      ...newJobColumns(next),
      positions: column(next, (job) => job?.position ?? null),
    };
    const committed = andCommit
      ? await calls.manyAndCommit({ ...args, commits: "true" }, context)
      : null;
    return committed ?? (await calls.many({ ...args, commits: "false" }, context));
  };

  return async (params) => {
    const { context, completions } = params;
    const [first] = completions;
    if (first === undefined) return { results: [], unblocked: [] };
    const newCount = completions.filter(({ outcome }) => outcome.kind === "continuation").length;
    const made = newCount === 0 ? [] : await makeIds(newCount, context);
    const nextIds = idsOf(completions, made);
    const isOne = completions.length === 1 && newCount === 0;
    const completing = isOne ? completeOne(params, first) : completeMany(params, nextIds);
    const rows = await completing.catch(lostRowsOf);
    leases.ended(completions);
    return toResult({ completions, nextIds }, rows);
  };
};

type Params = Parameters<PgState["completeJobs"]>[0];

/** Lost jobs must not be committed with the rest, so their rows come as the detail of an error. */
const lostRowsOf = (error: unknown): readonly PgRow[] => {
  const { code, detail } = error as { readonly code?: unknown; readonly detail?: unknown };
  if (code !== notCommitted || typeof detail !== "string") throw error;
  const lost = JSON.parse(detail) as readonly PgRow[];
  return lost.map((row) => ({ ...row, kind: "lost", detail: row["reason"] }));
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
}

const toResult = (
  { completions, nextIds }: Asked,
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
    if (lostRow !== undefined) return toLost(lostRow);
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

const toLost = (row: PgRow): CompletionResult => ({
  kind: "lost",
  reason: row["detail"] as LeaseLostReason,
  storedByThisLease: toBoolean(row["is_stored_by_this_lease"]),
});
