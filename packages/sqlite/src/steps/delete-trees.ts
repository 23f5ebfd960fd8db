// A tree is deleted as a whole, and only if no unfinished or failed job outside depends on a sequence in it. Such a job reads
// the output of the sequence when it runs. Completed dependants lose their edges.
import type { BlockerEdge } from "queuert/internal";
import { rootSequenceIdOf, sequenceIdOf } from "../job-row.ts";
import { treeMembers, type TableNames } from "../names.ts";
import type { Session } from "../session.ts";

export interface DeleteTrees {
  /** Edges from jobs outside that still need a sequence of one of these roots' trees. */
  readonly edgesFromOutside: (
    session: Session,
    rootIds: readonly string[],
  ) => readonly BlockerEdge[];
  /** Returns the number of deleted jobs. */
  readonly deleteTrees: (session: Session, rootIds: readonly string[]) => number;
}

/** Begins a statement: `tree` holds the ids of all jobs of the trees whose roots a JSON array names. */
export const withTree = (names: TableNames): string => `
WITH root AS MATERIALIZED (SELECT value AS id FROM json_each(?)),
tree AS MATERIALIZED (
  SELECT id FROM root
  UNION ALL
  SELECT member.id FROM root CROSS JOIN ${treeMembers(names)}
  WHERE member.root_sequence_id = root.id AND member.root_sequence_id <> member.id
)`;

export const createDeleteTrees = (names: TableNames): DeleteTrees => {
  const { job, blocker, ordinal } = names;
  const outside = `${withTree(names)}
SELECT waiting.id, ${sequenceIdOf("waiting")}, edge.blocker_sequence_id, edge.place
FROM tree CROSS JOIN ${blocker} edge ON edge.blocker_sequence_id = tree.id
CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE waiting.status NOT IN ('completed', 'cancelled')
  AND ${rootSequenceIdOf("waiting")} NOT IN (SELECT id FROM root)
ORDER BY waiting.ordinal, edge.place`;
  const members = `${withTree(names)} SELECT id FROM tree`;
  // One by one: with statistics of a small table, SQLite would search all jobs for each id of a list.
  const remove = `DELETE FROM ${job} WHERE id = ?`;

  const keepOrdinals = `UPDATE ${ordinal} SET last = max(last, (SELECT coalesce(max(ordinal), 0) FROM ${job}))`;

  return {
    edgesFromOutside: (session, rootIds) =>
      session
        .all<[string, string, string, number]>(outside, JSON.stringify(rootIds))
        .map(([jobId, sequenceId, blockerSequenceId, index]) => ({
          jobId,
          sequenceId,
          blockerSequenceId,
          index,
        })),
    deleteTrees: (session, rootIds) => {
      // The youngest job may be among them. Its ordinal must not be given to another job.
      session.run(keepOrdinals);
      // The foreign keys delete the edges of either end.
      const removal = session.prepare(remove);
      let count = 0;
      for (const [id] of session.all<[string]>(members, JSON.stringify(rootIds))) {
        count += Number(removal.run(id).changes);
      }
      return count;
    },
  };
};
