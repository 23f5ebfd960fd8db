// Which documents a transaction has written itself. To write one of those outside of it would mean to wait for oneself.
import type { MongoSession } from "./driver.ts";

const touchedBy = new WeakMap<MongoSession, Set<string>>();

const nameOf = (collection: string, id: string): string => `${collection}/${id}`;

const touchedIn = (session: MongoSession): Set<string> => {
  let touched = touchedBy.get(session);
  if (touched === undefined) {
    touched = new Set();
    // Kept for as long as the session is: one used again knows too many, which only makes it cautious.
    touchedBy.set(session, touched);
  }
  return touched;
};

/** Remembers what a statement in a transaction may have written. */
export const noteTouched = (session: MongoSession, collection: string, filter: object): void => {
  const touched = touchedIn(session);
  for (const id of idsOf(filter)) touched.add(nameOf(collection, id));
};

export const noteInserted = (
  session: MongoSession,
  collection: string,
  documents: readonly object[],
): void => {
  const touched = touchedIn(session);
  for (const document of documents) {
    for (const id of idsOf(document)) touched.add(nameOf(collection, id));
  }
};

export const isTouched = (
  session: MongoSession | undefined,
  collection: string,
  id: string,
): boolean => session !== undefined && touchedBy.get(session)?.has(nameOf(collection, id)) === true;

// Every statement of this package that writes names its documents by id, in one of these forms.
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
