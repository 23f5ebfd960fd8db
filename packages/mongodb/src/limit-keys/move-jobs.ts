// Jobs that leave their key: by an update, or because they are deleted.
import { randomUUID } from "node:crypto";
import type { JobLimitKey } from "queuert/internal";
import type { Database } from "../database.ts";
import type { Scope } from "../store.ts";
import { keyFields, referenceOf, turnNow } from "./key-document.ts";

/**
 * Turns that belong to no job: of the keys of jobs that leave them. New documents, which no other transaction writes, so that no
 * transaction of a user waits for an acquisition.
 */
export const leaveTurns = async (
  db: Database,
  scope: Scope,
  turns: readonly (readonly [keyId: string, typeName: string])[],
): Promise<void> => {
  if (turns.length === 0) return;
  const distinct = new Map(turns.map((turn) => [JSON.stringify(turn), turn]));
  await db.limitKeys.insertMany(
    scope,
    [...distinct.values()].map(([keyId, lookType]) => ({
      _id: randomUUID(),
      limitName: referenceOf(keyId).limitName,
      ...{ keyId, lookType, keptBack: "no" as const },
      // At once, by any clock.
      lookAt: new Date(0),
    })),
  );
};

const hasKey = { $ne: [{ $type: "$limitKeyId" }, "missing"] };
const hasTurn = { $ne: [{ $type: "$turnAt" }, "missing"] };

/** The fields of an update that changes the priority of a job, or moves it to another key. Undefined: it stays. */
export const placeUnder = (
  limitKey: JobLimitKey | null | undefined,
  priority: number | null,
): object => {
  // Its key is looked at, because the due time or the priority may have changed.
  if (limitKey === undefined) {
    return {
      turnAt: turnNow,
      ...(priority !== null && {
        priority: { $cond: [hasKey, "$$REMOVE", priority] },
        keyPriority: { $cond: [hasKey, priority, "$$REMOVE"] },
      }),
    };
  }
  const own = priority ?? { $ifNull: ["$priority", "$keyPriority"] };
  if (limitKey === null) {
    return {
      ...{ priority: own, keyPriority: "$$REMOVE", turnAt: "$$REMOVE" },
      ...{ limitName: "$$REMOVE", limitKeyId: "$$REMOVE", startCost: "$$REMOVE" },
      movedFrom: movedFrom(null),
    };
  }
  const { limitName = "", limitKeyId = "", startCost } = keyFields(limitKey);
  return {
    ...{ priority: "$$REMOVE", keyPriority: own, turnAt: "$$NOW" },
    ...{ limitName: { $literal: limitName }, limitKeyId: { $literal: limitKeyId } },
    startCost: startCost ?? "$$REMOVE",
    movedFrom: movedFrom(limitKeyId),
  };
};

/** The key of before, if its turn would go with the job. */
const movedFrom = (limitKeyId: string | null): object => ({
  $cond: [
    { $and: [hasTurn, { $ne: ["$limitKeyId", { $literal: limitKeyId }] }] },
    "$limitKeyId",
    "$$REMOVE",
  ],
});
