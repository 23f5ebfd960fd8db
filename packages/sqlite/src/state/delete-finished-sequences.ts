// Retention. Trees are looked at in the order of their creation, a stretch at a time and outside any transaction; those
// that may go are then deleted in a transaction per stretch, with everything re-checked under the lock. No index serves
// this, for it would cost every completion: no tree can have been finished for longer than it exists, so the look ends
// at the first stretch that is too young.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createSweepTrees } from "../steps/sweep-trees.ts";

// Short enough that other writers and timers of this process wait for some milliseconds at most.
const stretchLength = 200;

export const deleteFinishedSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["deleteFinishedSequences"] => {
  const { look, sweep } = createSweepTrees(database.names);

  return async ({ limit, ...ages }) => {
    if (ages.completedForMs === null && ages.failedForMs === null) return 0;
    let roomLeft = limit;
    let deletedCount = 0;
    let afterOrdinal: number | null = -1;
    while (roomLeft > 0 && afterOrdinal !== null) {
      const from: number = afterOrdinal;
      const found = await database.read(undefined, (session) =>
        look(session, ages, from, stretchLength),
      );
      if (found.rootIds.length > 0) {
        const treesMax = roomLeft;
        const swept = await database.write(undefined, (session) =>
          sweep(session, ages, found.rootIds, treesMax),
        );
        roomLeft -= swept.treeCount;
        deletedCount += swept.jobCount;
      }
      afterOrdinal = found.afterOrdinal;
    }
    return deletedCount;
  };
};
