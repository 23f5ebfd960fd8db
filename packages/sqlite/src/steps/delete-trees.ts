// Trees leave together, and only if nobody outside still needs the output of a sequence in them: whoever has not
// completed yet will read it, or may after a retry. Completed dependants forget the sequences that went.
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
  /** Answers how many jobs went. */
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
WHERE waiting.status <> 'completed'
  AND ${rootSequenceIdOf("waiting")} NOT IN (SELECT id FROM root)
ORDER BY waiting.ordinal, edge.place`;
  const members = `${withTree(names)} SELECT id FROM tree`;
  // One by one: with statistics from when there were few jobs, a list would be looked for in all of them.
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
      // The youngest job may be among them, and its ordinal must not be given to another.
      session.run(keepOrdinals);
      // Edges go with their jobs, at either end: the foreign keys cascade.
      const removal = session.prepare(remove);
      let count = 0;
      for (const [id] of session.all<[string]>(members, JSON.stringify(rootIds))) {
        count += Number(removal.run(id).changes);
      }
      return count;
    },
  };
};
