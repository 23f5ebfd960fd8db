// Step 5 of the page, continued: cancellations. The plan is made by the library; a store reads, and writes the plan.
import type { CancellationView } from "queuert/internal";
import { planCancellation, sequencesOf, toCancelledJobs } from "queuert/internal";
import { dependantsOf, noLease, put, rowsOf, toReference } from "./rows.ts";
import { release } from "./settle-jobs.ts";
import type { Data, Database, Method } from "./snapshot.ts";

export const cancelSequences =
  (database: Database): Method<"cancelSequences"> =>
  async (params) =>
    database.write(params.context, (data, now) => {
      const rootIds = new Set<string>();
      let wanted: readonly string[] = params.sequences.map(({ id }) => id);
      for (;;) {
        for (const id of wanted) {
          const row = data.rows[id];
          if (row?.position === 0) rootIds.add(row.rootSequenceId);
        }
        const plan = planCancellation(view(data, rootIds), params);
        if (plan.kind === "blocking") return plan;
        if (plan.kind === "look") {
          wanted = plan.sequenceIds;
          continue;
        }
        for (const { id } of plan.jobs) {
          write(data, id, { status: "cancelled", output: params.reason, finishedAt: now });
        }
        for (const { id, error } of plan.dependants) {
          write(data, id, { status: "failed", lastAttemptError: error, finishedAt: now });
        }
        const { results, dependants } = plan;
        const jobs = toCancelledJobs(plan.jobs);
        const unblocked = sequencesOf(plan).flatMap((id) => release(data, id, now));
        return { kind: "cancelled", results, jobs, dependants, unblocked };
      }
    });

const write = (data: Data, id: string, changes: Parameters<typeof put>[2]): void => {
  const row = data.rows[id];
  if (row !== undefined) put(data, row, { ...noLease, ...changes });
};

const view = (data: Data, rootIds: ReadonlySet<string>): CancellationView => {
  const rows = rowsOf(data).filter(({ rootSequenceId }) => rootIds.has(rootSequenceId));
  const jobs = rows.map((row) => ({
    ...toReference(row),
    status: row.status,
    position: row.position,
    leaseVersion: row.leaseVersion,
  }));
  const waiting = rows.flatMap(({ id }) =>
    dependantsOf(data, id).flatMap((dependant) =>
      data.edges
        .filter((edge) => edge.jobId === dependant.id && edge.blockerSequenceId === id)
        .map((edge) => {
          const goesOn = dependant.onBlockerFailure === "continue";
          return { ...edge, goesOn, sequenceId: dependant.sequenceId };
        }),
    ),
  );
  return { jobs, waiting };
};
