// Retention. A stretch of trees is read in the order of creation, outside any transaction. The trees of the stretch that may
// be deleted are then deleted in one transaction, which checks every condition again under the lock. No index serves this,
// because it would cost every completion. A tree cannot have been finished for longer than it exists: the first stretch
// of trees that are all too young is the last one.
import type { DeleteFinishedParams, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { rootSequenceIdOf } from "../job-row.ts";
import { type TableNames, treeMembers } from "../names.ts";
import type { Session } from "../session.ts";
import { createDeleteTrees } from "../steps/delete-trees.ts";

// Other writers and timers of this process wait for a stretch: some milliseconds.
const stretchLength = 200;

type FinishedAges = Pick<DeleteFinishedParams, "completedForMs" | "failedForMs" | "cancelledForMs">;

interface Stretch {
  /** Roots of trees that may be deleted. */
  readonly rootIds: readonly string[];
  /** Where the next stretch begins; null if no further tree can be old enough. */
  readonly afterOrdinal: number | null;
}

export const deleteFinishedSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["deleteFinishedSequences"] => {
  const readStretch = createReadStretch(database.names);
  const deleteFinished = createDeleteFinished(database.names);

  return async ({ limit, ...ages }) => {
    if (Object.values(ages).every((age) => age === null)) return 0;
    let treesLeft = limit;
    let deletedCount = 0;
    let afterOrdinal: number | null = -1;
    while (treesLeft > 0 && afterOrdinal !== null) {
      const from: number = afterOrdinal;
      const stretch = await database.read(undefined, (session) => readStretch(session, ages, from));
      if (stretch.rootIds.length > 0) {
        const treesMax = treesLeft;
        const deleted = await database.write("deleteFinishedSequences", undefined, (session) =>
          deleteFinished(session, ages, stretch.rootIds, treesMax),
        );
        treesLeft -= deleted.treeCount;
        deletedCount += deleted.jobCount;
      }
      afterOrdinal = stretch.afterOrdinal;
    }
    return deletedCount;
  };
};

const withCutoff = "WITH cutoff (completed, failed, cancelled) AS (SELECT ?, ?, ?)";

const isFinished = (alias: string): string => `(
  (${alias}.status = 'completed' AND ${alias}.finished_at <= cutoff.completed)
  OR (${alias}.status = 'failed' AND ${alias}.finished_at <= cutoff.failed)
  OR (${alias}.status = 'cancelled' AND ${alias}.finished_at <= cutoff.cancelled))`;

const isTreeFinished = (names: TableNames): string => `
  ${isFinished("root")}
  AND NOT EXISTS (
    SELECT 1 FROM ${treeMembers(names)}
    WHERE member.root_sequence_id = root.id AND member.root_sequence_id <> member.id
      AND NOT ${isFinished("member")})`;

const createReadStretch = (
  names: TableNames,
): ((session: Session, ages: FinishedAges, afterOrdinal: number) => Stretch) => {
  const select = `${withCutoff}
SELECT root.ordinal, root.id, root.created_at, ${rootSequenceIdOf("root")} = root.id AND ${isTreeFinished(names)}
FROM cutoff CROSS JOIN ${names.job} root WHERE root.ordinal > ? ORDER BY root.ordinal LIMIT +?`;

  return (session, ages, afterOrdinal) => {
    const latest = cutoffs(session.now(), ages);
    const rows = session.all<
      [ordinal: number, id: string, createdAt: number, mayBeDeleted: number]
    >(select, ...latest, afterOrdinal, stretchLength);
    const youngest = Math.max(...latest);
    // A clock can have been set back: one job that is too young is not the end.
    const areTooYoung = rows.every(([, , createdAt]) => createdAt > youngest);
    const [lastOrdinal = null] = rows.at(-1) ?? [];
    return {
      rootIds: rows.flatMap(([, id, , mayBeDeleted]) => (mayBeDeleted === 1 ? [id] : [])),
      afterOrdinal: areTooYoung ? null : lastOrdinal,
    };
  };
};

const createDeleteFinished = (
  names: TableNames,
): ((
  session: Session,
  ages: FinishedAges,
  rootIds: readonly string[],
  treesMax: number,
) => { readonly treeCount: number; readonly jobCount: number }) => {
  const recheck = `${withCutoff}
SELECT 1 FROM cutoff CROSS JOIN ${names.job} root WHERE root.id = ? AND ${isTreeFinished(names)}`;
  const { edgesFromOutside, deleteTrees } = createDeleteTrees(names);

  return (session, ages, rootIds, treesMax) => {
    const latest = cutoffs(session.now(), ages);
    let treeCount = 0;
    let jobCount = 0;
    for (const id of rootIds) {
      if (treeCount >= treesMax) break;
      if (session.get(recheck, ...latest, id) === undefined) continue;
      if (edgesFromOutside(session, [id]).length > 0) continue;
      jobCount += deleteTrees(session, [id]);
      treeCount++;
    }
    return { treeCount, jobCount };
  };
};

/** The latest instants at which jobs may have finished. A status without an age gets an instant before all others. */
const cutoffs = (
  now: number,
  { completedForMs, failedForMs, cancelledForMs }: FinishedAges,
): readonly [completed: number, failed: number, cancelled: number] => [
  cutoff(now, completedForMs),
  cutoff(now, failedForMs),
  cutoff(now, cancelledForMs),
];

const cutoff = (now: number, ageMs: number | null): number =>
  ageMs === null ? -1 : Math.floor(Math.max(now - ageMs, -1));
