// Cancels sequences. There is one writer, so the first plan is the one that is written.
import {
  cancelledAttemptError,
  type CancellationJob,
  type CancellationView,
  planCancellation,
  sequencesOf,
  type CancelSequencesParams,
  type CancelSequencesResult,
  type StateAdapter,
  toCancelledJobs,
} from "queuert/internal";
import type { Database } from "../database.ts";
import {
  type JobReferenceRow,
  referenceColumns,
  rootSequenceIdOf,
  sequenceIdOf,
  toStateJobReference,
} from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createFreeDeduplicationKey } from "../steps/deduplicate.ts";
import { createReleaseContinuing } from "../steps/end-sequence.ts";
import { withTree } from "../steps/delete-trees.ts";
import { createWakeKeys } from "../steps/wake-keys.ts";
import { createRecordAttempt } from "../steps/record-attempt.ts";

export const cancelSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["cancelSequences"] => {
  const view = createReadView(database.names);
  const write = createWritePlan(database.names);
  const releaseContinuing = createReleaseContinuing(database.names);

  const cancel = (
    session: Session,
    params: CancelSequencesParams<TTxContext>,
  ): CancelSequencesResult => {
    const rootIds = new Set<string>();
    let wanted: readonly string[] = params.sequences.map(({ id }) => id);
    for (;;) {
      for (const id of view.rootsOf(session, wanted)) rootIds.add(id);
      const plan = planCancellation(view.read(session, [...rootIds]), params);
      if (plan.kind === "blocking") return plan;
      if (plan.kind === "look") {
        wanted = plan.sequenceIds;
        continue;
      }
      write(session, plan, params.reason);
      const { results, dependants } = plan;
      const unblocked = sequencesOf(plan).flatMap((id) => releaseContinuing(session, id));
      const jobs = toCancelledJobs(plan.jobs);
      return { kind: "cancelled", results, jobs, dependants, unblocked };
    }
  };

  return async (params) =>
    params.sequences.length === 0
      ? { kind: "cancelled", results: [], jobs: [], dependants: [], unblocked: [] }
      : database.write("cancelSequences", params.context, (session) => cancel(session, params));
};

type TreeRow = readonly [
  ...JobReferenceRow,
  status: CancellationJob["status"],
  position: number,
  leaseVersion: number,
];

const createReadView = (names: TableNames) => {
  const { job, blocker } = names;
  const roots = `
SELECT DISTINCT ${rootSequenceIdOf("first")} FROM json_each(?) given
CROSS JOIN ${job} first ON first.id = given.value AND first.position = 0`;
  const jobs = `${withTree(names)}
SELECT ${referenceColumns("one")}, one.status, one.position, one.lease_version
FROM tree CROSS JOIN ${job} one ON one.id = tree.id ORDER BY one.ordinal`;
  const waiting = `${withTree(names)}
SELECT waiting.id, ${sequenceIdOf("waiting")}, edge.blocker_sequence_id, edge.place, waiting.on_blocker_failure = 'continue'
FROM tree CROSS JOIN ${blocker} edge ON edge.blocker_sequence_id = tree.id
CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE waiting.status = 'blocked' ORDER BY waiting.ordinal, edge.place`;

  return {
    rootsOf: (session: Session, sequenceIds: readonly string[]): readonly string[] =>
      session.all<[string]>(roots, JSON.stringify(sequenceIds)).map(([id]) => id),
    read: (session: Session, rootIds: readonly string[]): CancellationView => {
      const given = JSON.stringify(rootIds);
      return {
        jobs: session.all<TreeRow>(jobs, given).map((row): CancellationJob => {
          const [id, typeName, sequenceId, sequenceTypeName, root, origin, ...state] = row;
          const [status, position, leaseVersion] = state;
          const named: JobReferenceRow = [id, typeName, sequenceId, sequenceTypeName, root, origin];
          return { ...toStateJobReference(named), status, position, leaseVersion };
        }),
        waiting: session
          .all<[string, string, string, number, number]>(waiting, given)
          .map(([jobId, sequenceId, blockerSequenceId, index, goesOn]) => ({
            ...{ jobId, sequenceId, blockerSequenceId, index, goesOn: goesOn === 1 },
          })),
      };
    },
  };
};

type WrittenPlan = Extract<ReturnType<typeof planCancellation>, { readonly kind: "cancel" }>;

const createWritePlan = (names: TableNames) => {
  const { job } = names;
  const cancel = `
UPDATE ${job} SET status = 'cancelled', output = ?, finished_at = ?, leased_by = NULL, leased_until = NULL
WHERE id = ?`;
  const fail = `UPDATE ${job} SET status = 'failed', finished_at = ?, last_attempt_error = ? WHERE id = ?`;
  const recordAttempt = createRecordAttempt(names);
  const ended = { outcome: "cancelled", error: cancelledAttemptError } as const;
  const { free, giveUp } = createFreeDeduplicationKey(names);
  const wakeKeys = createWakeKeys(names);

  return (session: Session, { jobs, dependants }: WrittenPlan, reason: string | null): void => {
    const now = session.now();
    const wake = wakeKeys(session);
    for (const { id, sequenceId, status, leaseVersion } of jobs) {
      if (status === "running") {
        recordAttempt(session, { ...ended, jobId: id, leaseVersion }, now);
      }
      session.run(cancel, reason, now, id);
      if (status === "running") wake(id);
      giveUp(session, sequenceId);
    }
    for (const { id, sequenceId, error } of dependants) {
      session.run(fail, now, error, id);
      free(session, sequenceId);
    }
  };
};
