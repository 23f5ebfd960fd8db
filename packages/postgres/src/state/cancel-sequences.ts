// Sequences are cancelled in one transaction. The jobs of the plan are locked, and read and planned again under the locks. Only a
// plan whose rows are all locked is written. If it needs more rows, the locks are released first, and all of them taken by id.
// Beside held locks, a further one might wait for a transaction that waits for one of those.
import {
  type CancellationJob,
  type CancellationPlan,
  type CancellationView,
  type CancelSequencesParams,
  type CancelSequencesResult,
  type JobStatus,
  planCancellation,
  sequencesOf,
  toCancelledJobs,
  type UnblockedJob,
  type WaitingEdge,
} from "queuert/internal";
import { column, type PgDatabase, type PgState, storableText } from "../database.ts";
import { toStateJobReference } from "../job-row.ts";

type Params = CancelSequencesParams<object>;
type Cancelled = Extract<CancelSequencesResult, { readonly kind: "cancelled" }>;
type WrittenPlan = Extract<CancellationPlan, { readonly kind: "cancel" }>;

export const cancelSequences = (
  db: PgDatabase,
  runInTransaction: PgState["runInTransaction"],
): PgState["cancelSequences"] => {
  const view = createView(db);
  const savepoint = createSavepoint(db);
  const write = createWrite(db);
  const release = createRelease(db);

  const cancel = async (context: object, params: Params): Promise<CancelSequencesResult> => {
    const wanted = new Set(params.sequences.map(({ id }) => id));
    const locked = new Set<string>();
    for (;;) {
      const { continuing, ...viewed } = await view(context, wanted, locked);
      const plan = planCancellation(viewed, params);
      if (plan.kind === "blocking") {
        if (locked.size > 0) {
          await savepoint.rollBack(context);
          await savepoint.release(context);
        }
        return plan;
      }
      if (plan.kind === "look") {
        for (const id of plan.sequenceIds) wanted.add(id);
        continue;
      }
      const ended = new Set(sequencesOf(plan));
      const goingOn = continuing.flatMap(({ jobId, blockerSequenceId }) =>
        ended.has(blockerSequenceId) ? [jobId] : [],
      );
      const missing = [...rowsOf(plan), ...goingOn].filter((id) => !locked.has(id));
      if (missing.length === 0) {
        if (locked.size > 0) await savepoint.release(context);
        const written = await write(context, plan, params.reason);
        const unblocked = goingOn.length === 0 ? [] : await release(context, [...ended]);
        return { ...written, unblocked };
      }
      await (locked.size > 0 ? savepoint.rollBack(context) : savepoint.set(context));
      for (const id of missing) locked.add(id);
    }
  };

  return async (params) => {
    const { context, sequences } = params;
    if (sequences.length === 0) {
      return { kind: "cancelled", results: [], jobs: [], dependants: [], unblocked: [] };
    }
    return context === undefined
      ? runInTransaction((own) => cancel(own, params))
      : cancel(context, params);
  };
};

/** No lock of a transaction can be released but by the end of a subtransaction. */
const createSavepoint = (db: PgDatabase) => {
  const call = (name: string, sql: string) => {
    const run = db.statement(name, sql);
    return (context: object) => run([], context);
  };
  return {
    set: call("set_savepoint", "SAVEPOINT queuert_cancel"),
    /** The savepoint stays. */
    rollBack: call("roll_back_savepoint", "ROLLBACK TO SAVEPOINT queuert_cancel"),
    release: call("release_savepoint", "RELEASE SAVEPOINT queuert_cancel"),
  };
};

/** The jobs that a plan writes, and the first jobs of their sequences. */
const rowsOf = ({ jobs, dependants }: WrittenPlan): readonly string[] =>
  [...jobs, ...dependants].flatMap(({ id, sequenceId }) => [id, sequenceId]);

interface View extends CancellationView {
  /** The jobs that go on without a sequence of the trees, in any status. */
  readonly continuing: readonly Pick<WaitingEdge, "jobId" | "blockerSequenceId">[];
}

const createView = (db: PgDatabase) => {
  const view = db.routine("view_cancellation", { sequence_ids: "id[]", lock_ids: "id[]" });
  return async (
    context: object,
    sequenceIds: ReadonlySet<string>,
    lockIds: ReadonlySet<string>,
  ): Promise<View> => {
    const args = { sequence_ids: db.ids([...sequenceIds]), lock_ids: db.ids([...lockIds]) };
    const rows = await view(args, context);
    const jobs: CancellationJob[] = [];
    const waiting: WaitingEdge[] = [];
    const continuing: WaitingEdge[] = [];
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
        const edge = {
          jobId: reference.id,
          sequenceId: reference.sequenceId,
          blockerSequenceId: String(row["blocker_sequence_id"]),
          index: Number(row["place"]),
          goesOn: row["kind"] !== "edge",
        };
        if (edge.goesOn) continuing.push(edge);
        if (row["kind"] !== "continuing") waiting.push(edge);
      }
    }
    return { jobs, waiting, continuing };
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
  ): Promise<Omit<Cancelled, "unblocked">> => {
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

const createRelease = (db: PgDatabase) => {
  const release = db.routine("release_continuing", { sequence_ids: "id[]" });
  return async (
    context: object,
    sequenceIds: readonly string[],
  ): Promise<readonly UnblockedJob[]> => {
    const rows = await release({ sequence_ids: db.ids(sequenceIds) }, context);
    return rows.map((row) => ({
      ...toStateJobReference(row),
      unblockedBySequenceId: String(row["last_id"]),
    }));
  };
};
