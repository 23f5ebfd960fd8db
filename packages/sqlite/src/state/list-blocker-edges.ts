import type { BlockerEdge, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { sequenceIdOf } from "../job-row.ts";

export const listBlockerEdges = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["listBlockerEdges"] => {
  const { job, blocker } = database.names;
  // The dependants of the sequences, then the blockers of their first and their later jobs. UNION drops duplicates. Every
  // join goes from the few rows to the many. The planner would do the opposite, and read all jobs.
  const select = `
WITH wanted AS MATERIALIZED (SELECT DISTINCT value AS id FROM json_each(?)),
edges AS (
  SELECT edge.job_id, edge.place FROM wanted
  CROSS JOIN ${blocker} edge ON edge.blocker_sequence_id = wanted.id
  UNION
  SELECT edge.job_id, edge.place FROM wanted CROSS JOIN ${job} first ON first.id = wanted.id
  CROSS JOIN ${blocker} edge ON edge.job_id = first.id
  WHERE first.position = 0
  UNION
  SELECT edge.job_id, edge.place FROM wanted
  CROSS JOIN ${job} later ON later.sequence_id = wanted.id AND later.position > 0
  CROSS JOIN ${blocker} edge ON edge.job_id = later.id
)
SELECT edge.job_id, ${sequenceIdOf("waiting")}, edge.blocker_sequence_id, edge.place FROM edges
CROSS JOIN ${blocker} edge ON edge.job_id = edges.job_id AND edge.place = edges.place
CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
ORDER BY waiting.ordinal, edge.place`;

  return async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, (session) =>
          session
            .all<[string, string, string, number]>(select, JSON.stringify(ids))
            .map(([jobId, sequenceId, blockerSequenceId, index]): BlockerEdge => ({
              jobId,
              sequenceId,
              blockerSequenceId,
              index,
            })),
        );
};
