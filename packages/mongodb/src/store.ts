// The collections, and the only callers of the driver. Every command names its scope, so that no command
// of a transaction can be sent without its session. Outside transactions, read and write concerns are set
// here and not by the client's options.
import { type AsyncLock, createAsyncLock } from "queuert/internal";
import { isOwnWrite, noteWrites } from "./agreement/own-writes.ts";
import { toTransactionError } from "./driver-errors.ts";
import { toNamedError } from "./named-errors.ts";
import { withDriverTimeout } from "./driver-timeout.ts";
import { assertInTransaction, refusalBehind } from "./guarded-session.ts";
import type { JobDocument } from "./job-document.ts";
import type { MongoDatabase, MongoSession } from "./state-provider.ts";

/** Where a command runs: in a transaction, or by itself. */
export interface Scope {
  readonly session: MongoSession | undefined;
}

/** By itself: atomic for one document, committed at once. */
export const outside: Scope = { session: undefined };

export interface FindOptions {
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
  /** For candidates that the next statement checks again: reads data that may be rolled back. */
  readonly candidates?: boolean;
}

export interface WriteOptions {
  /** Outside transactions, a write waits for a locked document: at most this long. */
  readonly maxTimeMS?: number;
}

export interface UpsertOptions extends WriteOptions {
  readonly upsert?: boolean;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  /** Acknowledged by the primary alone: a later write of the same caller waits for the majority. */
  readonly unacknowledgedByMajority?: boolean;
}

/** One update of a batch. */
export interface UpdateOne {
  readonly updateOne: {
    readonly filter: object;
    readonly update: object | object[];
    readonly upsert?: boolean;
  };
}

export interface StoreCollection<TDocument extends object> {
  readonly name: string;
  find(scope: Scope, filter: object, options?: FindOptions): Promise<TDocument[]>;
  aggregate<T>(
    scope: Scope,
    pipeline: object[],
    options?: Pick<FindOptions, "candidates">,
  ): Promise<T[]>;
  insertMany(scope: Scope, documents: readonly TDocument[]): Promise<void>;
  updateMany(
    scope: Scope,
    filter: object,
    update: object | object[],
    options?: WriteOptions,
  ): Promise<number>;
  /** In order. Returns the number of modified documents. */
  bulkUpdate(scope: Scope, updates: readonly UpdateOne[], options?: WriteOptions): Promise<number>;
  findOneAndUpdate(
    scope: Scope,
    filter: object,
    update: object | object[],
    options: UpsertOptions,
  ): Promise<TDocument | null>;
  deleteMany(scope: Scope, filter: object): Promise<number>;
  /** Whether the scope's transaction may have written the document itself. */
  isOwnWrite(scope: Scope, id: string): boolean;
}

const primary = { readPreference: "primary" } as const;
const majorityWrite = { writeConcern: { w: "majority" } } as const;
const localRead = { ...primary, readConcern: { level: "local" } } as const;

// Values as this package reads them, in spite of the client's options. Numbers as BSON objects or bigints
// would compare wrongly.
export const plainValues = {
  raw: false,
  fieldsAsRaw: {},
  promoteValues: true,
  promoteLongs: true,
  useBigInt64: false,
} as const;

// As many documents in one reply as it can hold. The driver's default is a hundred at a time.
const batchSize = 100_000;

const writeOptions = (scope: Scope, options: object = {}): object =>
  scope.session === undefined
    ? { ...plainValues, ...options, ...majorityWrite }
    : { ...plainValues, ...options, session: scope.session };

// A session runs one command at a time, and callers may start two at once in one transaction.
const turns = new WeakMap<MongoSession, AsyncLock>();

const inTurn = <T>(session: MongoSession, run: () => Promise<T>): Promise<T> => {
  let turn = turns.get(session);
  if (turn === undefined) {
    turn = createAsyncLock();
    turns.set(session, turn);
  }
  return turn.run(run);
};

/** Runs a command in time and in turn, with typed errors. */
const createTyped =
  (answerTimeoutMs: number, name: string) =>
  async <T>({ session }: Scope, run: () => Promise<T>): Promise<T> => {
    const runInTime = (): Promise<T> => withDriverTimeout(answerTimeoutMs, run);
    if (session === undefined) {
      return runInTime().catch((error: unknown) => {
        throw toNamedError(error, name);
      });
    }
    try {
      return await inTurn(session, () => {
        assertInTransaction(session);
        return runInTime();
      });
    } catch (error) {
      throw refusalBehind(error) ?? toNamedError(toTransactionError(error), name);
    }
  };

export interface StorePlace {
  readonly database: MongoDatabase;
  /**
   * The read concern of reads outside transactions, but for candidates: "majority", or "snapshot" on a
   * sharded cluster.
   */
  readonly settledRead: "majority" | "snapshot";
  /** A statement that has not settled in this time counts as a lost connection. */
  readonly answerTimeoutMs: number;
}

const createReadOptions = (
  settledRead: StorePlace["settledRead"],
): ((scope: Scope, options?: FindOptions) => object) => {
  const outsideRead = { ...primary, readConcern: { level: settledRead } } as const;
  return ({ session }, { candidates = false, ...others } = {}) => {
    const rest = { ...plainValues, ...others, batchSize };
    // Inside a transaction its own concerns hold, and a command that names one is refused.
    if (session !== undefined) return { ...rest, ...primary, session };
    return { ...rest, ...(candidates ? localRead : outsideRead) };
  };
};

/** A collection whose documents all have one shape: only this package writes them. */
export const createStoreCollection = <TDocument extends object>(
  { database, settledRead, answerTimeoutMs }: StorePlace,
  name: string,
): StoreCollection<TDocument> => {
  const collection = database.collection(name);
  const typed = createTyped(answerTimeoutMs, name);
  // Two stores may take part in one transaction, and both may use the same custom ids.
  const space = `${database.databaseName}.${name}`;
  const readOptions = createReadOptions(settledRead);
  const note = ({ session }: Scope, filters: () => readonly object[]): void => {
    if (session !== undefined) noteWrites(session, space, filters());
  };
  return {
    name,
    find: (scope, filter, options) =>
      typed(scope, async () => {
        const found = await collection.find(filter, readOptions(scope, options)).toArray();
        // The driver cannot know the shape of the documents that this package stores.
        return found as TDocument[];
      }),
    aggregate: <T>(scope: Scope, pipeline: object[], options?: FindOptions) =>
      typed(scope, async () => {
        const found = await collection.aggregate(pipeline, readOptions(scope, options)).toArray();
        // Likewise: the shape is that of the pipeline's last stage.
        return found as T[];
      }),
    insertMany: (scope, documents) =>
      typed(scope, async () => {
        const { session } = scope;
        note(scope, () => documents);
        if (session !== undefined && documents.length > 1 && fitsOneCommand(documents)) {
          await insertByCommand(database, name, documents, session);
        } else await collection.insertMany(documents, writeOptions(scope));
      }),
    updateMany: (scope, filter, update, options) =>
      typed(scope, async () => {
        note(scope, () => [filter]);
        const result = await collection.updateMany(filter, update, writeOptions(scope, options));
        return result.modifiedCount;
      }),
    bulkUpdate: (scope, updates, options) =>
      typed(scope, async () => {
        note(scope, () => updates.map(({ updateOne }) => updateOne.filter));
        const result = await collection.bulkWrite(updates, writeOptions(scope, options));
        return result.modifiedCount;
      }),
    findOneAndUpdate: (scope, filter, update, { unacknowledgedByMajority = false, ...rest }) =>
      typed(scope, async () => {
        note(scope, () => [filter]);
        const asStored = { returnDocument: "after", includeResultMetadata: false };
        const options = {
          ...writeOptions(scope, { ...rest, ...asStored }),
          ...(unacknowledgedByMajority && { writeConcern: { w: 1 } }),
        };
        // Likewise.
        return (await collection.findOneAndUpdate(filter, update, options)) as TDocument | null;
      }),
    deleteMany: (scope, filter) =>
      typed(scope, async () => {
        note(scope, () => [filter]);
        const result = await collection.deleteMany(filter, writeOptions(scope));
        return result.deletedCount;
      }),
    isOwnWrite: (scope, id) => isOwnWrite(scope.session, space, id),
  };
};

export type JobCollection = StoreCollection<JobDocument>;

// Many documents are inserted by the server's own command, in one message. The driver's `insertMany`
// measures each document before it writes it, which doubles its time; here the size is estimated. Only in
// transactions: the driver repeats no insert there, and a failed one has stored nothing.

// The server takes 16 MB.
const messageBytesMax = 12_000_000;
const messageDocumentsMax = 10_000;
// Names and all values that are not texts. A job has about 200 bytes of them.
const fieldBytes = 40;
// UTF-8 has at most three bytes for a unit of UTF-16.
const charBytesMax = 3;

/** Whether the documents, of texts, numbers and dates, are certain to fit into one message. */
const fitsOneCommand = (documents: readonly object[]): boolean => {
  if (documents.length > messageDocumentsMax) return false;
  let bytes = 0;
  for (const document of documents) {
    for (const value of Object.values(document)) {
      bytes += fieldBytes;
      if (typeof value === "string") bytes += value.length * charBytesMax;
      else if (Array.isArray(value)) return false;
    }
  }
  return bytes <= messageBytesMax;
};

interface InsertReply {
  readonly writeErrors?: readonly { readonly code: number; readonly errmsg: string }[];
}

const insertByCommand = async (
  database: MongoDatabase,
  name: string,
  documents: readonly object[],
  session: MongoSession,
): Promise<void> => {
  // The shape of every server's reply. A refused document is not an error to the driver.
  const reply = (await database.command({ insert: name, documents }, { session })) as InsertReply;
  const [refused] = reply.writeErrors ?? [];
  if (refused === undefined) return;
  throw Object.assign(new Error(refused.errmsg), { code: refused.code });
};
