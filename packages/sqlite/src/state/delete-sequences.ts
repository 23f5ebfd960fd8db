// Deletes whole trees, or nothing.
import type { DeleteSequencesResult, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import {
  type JobReferenceRow,
  referenceColumns,
  rootSequenceIdOf,
  toStateJobReference,
} from "../job-row.ts";
import type { Session } from "../session.ts";
import { createDeleteTrees, withTree } from "../steps/delete-trees.ts";

export const deleteSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["deleteSequences"] => {
  const { job } = database.names;
  const rootOf = `SELECT ${rootSequenceIdOf("own")} FROM ${job} own WHERE own.id = ?`;
  const running = `${withTree(database.names)}
SELECT ${referenceColumns("held")} FROM ${job} held
WHERE held.status = 'running' AND held.id IN (SELECT id FROM tree)
ORDER BY held.ordinal`;
  const { edgesFromOutside, deleteTrees } = createDeleteTrees(database.names);

  const deleteRoots = (session: Session, ids: readonly string[]): DeleteSequencesResult => {
    const present = ids
      .map((id) => ({ id, root: session.get<[rootId: string]>(rootOf, id) }))
      .flatMap(({ id, root }) => (root === undefined ? [] : [{ id, rootId: root[0] }]));
    const sequenceIds = present.filter(({ id, rootId }) => id !== rootId).map(({ id }) => id);
    if (sequenceIds.length > 0) return { kind: "notRoots", sequenceIds };

    const rootIds = present.map(({ id }) => id);
    const edges = edgesFromOutside(session, rootIds);
    if (edges.length > 0) return { kind: "blocking", edges };
    const held = session.all<JobReferenceRow>(running, JSON.stringify(rootIds));
    return {
      kind: "deleted",
      jobCount: deleteTrees(session, rootIds),
      running: held.map(toStateJobReference),
    };
  };

  return async ({ context, rootSequenceIds }) =>
    rootSequenceIds.length === 0
      ? { kind: "deleted", jobCount: 0, running: [] }
      : database.writeWithin("deleteSequences", context, (session) =>
          deleteRoots(session, [...new Set(rootSequenceIds)]),
        );
};
