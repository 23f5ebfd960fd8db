// A session whose commands belong to one transaction. The driver decides whether a command is part of a transaction only when it writes
// the command to a connection. If the user has ended the transaction meanwhile, the driver sends the command by itself, and it is
// stored. So the driver gets a session that refuses at that moment. Below: the documents that a transaction has written itself.
import { StateNotInTransactionError } from "queuert";
import { MongoForeignSessionError, MongoWriteConcernError } from "./errors.ts";
import type { MongoDatabase, MongoSession } from "./state-provider.ts";

interface DriverSession extends MongoSession {
  /** An object for each transaction of the session. */
  readonly transaction?: object;
}

const guardedSessions = new WeakMap<object, MongoSession>();

/** The identity of the session's transaction. */
export const transactionOf = (session: DriverSession): object => session.transaction ?? session;

/** The same object for all commands of a transaction. */
export const guardSession = (session: DriverSession): MongoSession => {
  const transaction = transactionOf(session);
  const known = guardedSessions.get(transaction);
  if (known !== undefined) return known;
  const inTransaction = (): boolean => {
    if (!session.inTransaction() || transactionOf(session) !== transaction) throw refusal();
    return true;
  };
  const methods = new Map<unknown, unknown>();
  const guarded = new Proxy(session, {
    get: (target, key) => {
      if (key === "inTransaction") return inTransaction;
      // Getters and methods run on the session itself, which may have private fields.
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function" || key === "constructor") return value;
      const method: unknown = methods.get(value) ?? value.bind(target);
      methods.set(value, method);
      return method;
    },
    set: (target, key, value) => Reflect.set(target, key, value),
  });
  guardedSessions.set(transaction, guarded);
  return guarded;
};

const refusal = (): StateNotInTransactionError => new StateNotInTransactionError("A write");

/** Refuses a session without an open transaction. */
export const assertInTransaction = (session: MongoSession): void => {
  if (!session.inTransaction()) throw refusal();
};

/** The refusal behind an error of the driver, if it is one: of a guarded session, or of a session that has ended. */
export const refusalBehind = (error: unknown): StateNotInTransactionError | undefined => {
  if (error instanceof StateNotInTransactionError) return error;
  if (typeof error !== "object" || error === null) return undefined;
  const { name, cause, err } = error as { name?: unknown; cause?: unknown; err?: unknown };
  if (name === "MongoExpiredSessionError") {
    return new StateNotInTransactionError("A write", undefined, { cause: error });
  }
  const origin = err ?? cause;
  return origin === error ? undefined : refusalBehind(origin);
};

/** Refuses the session of a transaction in which jobs could be lost, or of another client. */
export const assertUsable = (session: MongoSession, database: MongoDatabase): void => {
  assertSameClient(session, database);
  assertMajority(session);
};

interface StartedSession extends MongoSession {
  readonly transaction?: {
    readonly options?: { readonly writeConcern?: { readonly w?: unknown } };
  };
}

// A transaction that the user started may have a weaker write concern than jobs need.
const assertMajority = (session: StartedSession): void => {
  const w = session.transaction?.options?.writeConcern?.w;
  // A number is a majority of some replica sets only, and this one may grow.
  if (typeof w === "number") throw new MongoWriteConcernError();
};

/** A client of the driver, of which only the identity and the class are read. */
interface OfClient {
  readonly client?: object;
}

/** The driver refuses such a session only when a command is sent, and does not name a second copy of itself. */
const assertSameClient = (session: MongoSession, database: MongoDatabase): void => {
  const { client } = session as OfClient;
  const { client: own } = database as OfClient;
  if (client === undefined || own === undefined || client === own) return;
  throw new MongoForeignSessionError(client.constructor !== own.constructor);
};

// The documents that a transaction has written itself. To wait outside the transaction for one of these is to wait for oneself.
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
