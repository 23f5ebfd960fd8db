// Sequences are cancelled in one transaction. The jobs of the plan are locked, and read and planned again under the locks. Only a
// plan whose rows are all locked is written.
import {
  type BlockerEdge,
  type CancellationJob,
  type CancellationPlan,
  type CancellationView,
  type CancelSequencesParams,
  type CancelSequencesResult,
  type JobStatus,
  planCancellation,
  toCancelledJobs,
} from "queuert/internal";
import { column, type PgDatabase, type PgState, storableText } from "../database.ts";
import { toStateJobReference } from "../job-row.ts";

type Params = CancelSequencesParams<object>;
type WrittenPlan = Extract<CancellationPlan, { readonly kind: "cancel" }>;

export const cancelSequences = (
  db: PgDatabase,
  runInTransaction: PgState["runInTransaction"],
): PgState["cancelSequences"] => {
  const view = createView(db);
  const write = createWrite(db);

  const cancel = async (context: object, params: Params): Promise<CancelSequencesResult> => {
    const wanted = new Set(params.sequences.map(({ id }) => id));
    const locked = new Set<string>();
    for (;;) {
      const plan = planCancellation(await view(context, wanted, locked), params);
      if (plan.kind === "blocking") return plan;
      if (plan.kind === "look") {
        for (const id of plan.sequenceIds) wanted.add(id);
        continue;
      }
      const missing = rowsOf(plan).filter((id) => !locked.has(id));
      if (missing.length === 0) return write(context, plan, params.reason);
      for (const id of missing) locked.add(id);
    }
  };

  return async (params) => {
    const { context, sequences } = params;
    if (sequences.length === 0) return { kind: "cancelled", results: [], jobs: [], dependants: [] };
    return context === undefined
      ? runInTransaction((own) => cancel(own, params))
      : cancel(context, params);
  };
};

/** The jobs that a plan writes, and the first jobs of their sequences. */
const rowsOf = ({ jobs, dependants }: WrittenPlan): readonly string[] =>
  [...jobs, ...dependants].flatMap(({ id, sequenceId }) => [id, sequenceId]);

const createView = (db: PgDatabase) => {
  const view = db.routine("view_cancellation", { sequence_ids: "id[]", lock_ids: "id[]" });
  return async (
    context: object,
    sequenceIds: ReadonlySet<string>,
    lockIds: ReadonlySet<string>,
  ): Promise<CancellationView> => {
    const args = { sequence_ids: db.ids([...sequenceIds]), lock_ids: db.ids([...lockIds]) };
    const rows = await view(args, context);
    const jobs: CancellationJob[] = [];
    const waiting: BlockerEdge[] = [];
    for (const row of rows) {
      const reference = toStateJobReference(row);
      if (row["kind"] === "job") {
        jobs.push({
          ...reference,
          status: row["status"] as JobStatus,
          position: Number(row["position"]),
          leaseVersion: Number(row["lease_version"]),
        });
      } else {
        waiting.push({
          jobId: reference.id,
          sequenceId: reference.sequenceId,
          blockerSequenceId: String(row["blocker_sequence_id"]),
          index: Number(row["place"]),
        });
      }
    }
    return { jobs, waiting };
  };
};

const createWrite = (db: PgDatabase) => {
  const write = db.routine("cancel_locked_jobs", {
    ids: "id[]",
    reason: "text",
    dependant_ids: "id[]",
    errors: "text[]",
  });
  return async (
    context: object,
    plan: WrittenPlan,
    reason: string | null,
  ): Promise<CancelSequencesResult> => {
    const { results, dependants } = plan;
    const rows = await write(
      {
        ids: db.ids(plan.jobs.map(({ id }) => id)),
        reason,
        dependant_ids: db.ids(dependants.map(({ id }) => id)),
        errors: column(dependants, ({ error }) => storableText(error)),
      },
      context,
    );
    // A pending job may have been acquired since the plan was made: an acquisition locks its ready row only.
    const running = new Set(rows.map(({ id }) => String(id)));
    const jobs = toCancelledJobs(plan.jobs).map((job) => ({
      ...job,
      wasRunning: running.has(job.id),
    }));
    return { kind: "cancelled", results, jobs, dependants };
  };
};
