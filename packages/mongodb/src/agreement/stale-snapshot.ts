// A sequence that was found by its key may have been committed after the caller's transaction began. Statements of the transaction
// do not see it, and would take it for deleted.
import type { Database } from "../database.ts";
import { MongoTransactionAbortedError } from "../errors.ts";
import { outside, type Scope } from "../store.ts";

/** The ids of jobs that the transaction has not written. Its own writes are visible to it: a job that it deleted is gone for it. */
export const foreignOf = (
  { jobs }: Database,
  scope: Scope,
  ids: readonly string[],
): readonly string[] => ids.filter((id) => !jobs.isOwnWrite(scope, id));

/**
 * `ids`: foreign jobs that the transaction does not see. If one of them is stored and meets the conditions, the transaction has
 * to run again.
 */
export const refuseStaleSnapshot = async (
  { jobs }: Database,
  scope: Scope,
  ids: readonly string[],
  conditions: { readonly position?: 0 } = {},
): Promise<void> => {
  if (scope.session === undefined || ids.length === 0) return;
  const filter = { _id: { $in: ids }, ...conditions };
  const stored = await jobs.find(outside, filter, { projection: { _id: 1 } });
  if (stored.length > 0) throw new MongoTransactionAbortedError("write_conflict");
};
