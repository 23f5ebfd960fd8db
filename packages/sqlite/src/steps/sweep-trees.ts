// Retention, a stretch at a time: which trees have been finished for long enough, and deleting those that still have.
import type { FinishedSweepParams } from "queuert/internal";
import { rootSequenceIdOf } from "../job-row.ts";
import { treeMembers, type TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createDeleteTrees } from "./delete-trees.ts";

export type FinishedAges = Pick<FinishedSweepParams, "completedForMs" | "failedForMs">;

export interface Stretch {
  /** Roots of trees that may go. */
  readonly rootIds: readonly string[];
  /** Where the next stretch begins; null when there can be nothing to find any more. */
  readonly afterOrdinal: number | null;
}

export interface SweepTrees {
  readonly look: (
    session: Session,
    ages: FinishedAges,
    afterOrdinal: number,
    length: number,
  ) => Stretch;
  /** Checks everything again. */
  readonly sweep: (
    session: Session,
    ages: FinishedAges,
    rootIds: readonly string[],
    treesMax: number,
  ) => { readonly treeCount: number; readonly jobCount: number };
}

const statements = (names: TableNames) => {
  const { job } = names;
  const isFinished = (alias: string): string => `(
    (${alias}.status = 'completed' AND ${alias}.finished_at <= cutoff.completed)
    OR (${alias}.status = 'failed' AND ${alias}.finished_at <= cutoff.failed))`;
  const isTreeFinished = `
  ${isFinished("root")}
  AND NOT EXISTS (
    SELECT 1 FROM ${treeMembers(names)}
    WHERE member.root_sequence_id = root.id AND member.root_sequence_id <> member.id
      AND NOT ${isFinished("member")})`;
  const withCutoff = "WITH cutoff (completed, failed) AS (SELECT ?, ?)";
  return {
    stretch: `${withCutoff}
SELECT root.ordinal, root.id, root.created_at, ${rootSequenceIdOf("root")} = root.id AND ${isTreeFinished}
FROM cutoff CROSS JOIN ${job} root WHERE root.ordinal > ? ORDER BY root.ordinal LIMIT ?`,
    recheck: `${withCutoff}
SELECT 1 FROM cutoff CROSS JOIN ${job} root WHERE root.id = ? AND ${isTreeFinished}`,
  };
};

export const createSweepTrees = (names: TableNames): SweepTrees => {
  const sql = statements(names);
  const { edgesFromOutside, deleteTrees } = createDeleteTrees(names);

  return {
    look: (session, ages, afterOrdinal, length) => {
      const [completed, failed] = cutoffs(session.now(), ages);
      const rows = session.all<[number, string, number, number]>(
        sql.stretch,
        completed,
        failed,
        afterOrdinal,
        length,
      );
      // A clock can have been set back, so it takes more than one job that is too young to stop here.
      const isTooYoung = rows.every((row) => row[2] > Math.max(completed, failed));
      return {
        rootIds: rows.filter((row) => row[3] === 1).map((row) => row[1]),
        afterOrdinal: isTooYoung ? null : (rows.at(-1)?.[0] ?? null),
      };
    },
    sweep: (session, ages, rootIds, treesMax) => {
      const [completed, failed] = cutoffs(session.now(), ages);
      let treeCount = 0;
      let jobCount = 0;
      for (const id of rootIds) {
        if (treeCount >= treesMax) break;
        if (session.get(sql.recheck, completed, failed, id) === undefined) continue;
        if (edgesFromOutside(session, [id]).length > 0) continue;
        jobCount += deleteTrees(session, [id]);
        treeCount++;
      }
      return { treeCount, jobCount };
    },
  };
};

/** The latest instants at which jobs may have finished; below all instants where they may not go at all. */
const cutoffs = (
  now: number,
  { completedForMs, failedForMs }: FinishedAges,
): readonly [completed: number, failed: number] => [
  cutoff(now, completedForMs),
  cutoff(now, failedForMs),
];

const cutoff = (now: number, ageMs: number | null): number =>
  ageMs === null ? -1 : Math.floor(Math.max(now - ageMs, -1));
