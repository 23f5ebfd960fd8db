// The documents that a transaction has written itself. Waiting outside the transaction for one of these
// would be waiting for oneself.
import type { MongoSession } from "../state-provider.ts";

const writesOf = new WeakMap<MongoSession, Set<string>>();

const nameOf = (collection: string, id: string): string => `${collection}/${id}`;

const writesIn = (session: MongoSession): Set<string> => {
  let writes = writesOf.get(session);
  if (writes === undefined) {
    writes = new Set();
    // Kept as long as the session. A session that is used again knows too many: harmless caution.
    writesOf.set(session, writes);
  }
  return writes;
};

/** Remembers the documents that a statement in a transaction may have written: those of its filters. */
export const noteWrites = (
  session: MongoSession,
  collection: string,
  filters: readonly object[],
): void => {
  const writes = writesIn(session);
  for (const filter of filters) {
    for (const id of idsOf(filter)) writes.add(nameOf(collection, id));
  }
};

export const isOwnWrite = (
  session: MongoSession | undefined,
  collection: string,
  id: string,
): boolean => session !== undefined && writesOf.get(session)?.has(nameOf(collection, id)) === true;

// Every statement of this package that writes names its documents by id, in one of these forms. An
// inserted document has the first form.
const idsOf = (filter: object): readonly string[] => {
  if ("$or" in filter && Array.isArray(filter.$or)) {
    return filter.$or.flatMap((each: object) => idsOf(each));
  }
  if (!("_id" in filter)) return [];
  const { _id } = filter;
  if (typeof _id === "string") return [_id];
  const isList = typeof _id === "object" && _id !== null && "$in" in _id && Array.isArray(_id.$in);
  // Ids are strings throughout.
  return isList ? ((_id as { readonly $in: readonly string[] }).$in ?? []) : [];
};
