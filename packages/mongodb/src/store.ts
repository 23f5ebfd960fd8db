// The collections, and the only callers of the driver. Every command names its scope, so that no command
// of a transaction can be sent without its session. Outside transactions, read and write concerns are set
// here and not by the client's options.
import { type AsyncLock, createAsyncLock, StatementTimeoutError } from "queuert/internal";
import { codeOf, toTransactionError } from "./driver-errors.ts";
import { fitsOneCommand, insertByCommand } from "./insert-command.ts";
import { toNamedError } from "./named-errors.ts";
import { withDriverTimeout } from "./driver-timeout.ts";
import { assertInTransaction, isOwnWrite, noteWrites, refusalBehind } from "./guarded-session.ts";
import type { JobDocument } from "./job-document.ts";
import type { MongoDatabase, MongoSession } from "./state-provider.ts";

/** Where a command runs: in a transaction, or by itself. */
export interface Scope {
  readonly session: MongoSession | undefined;
  /** Outside transactions: the server ends a read that takes longer. */
  readonly readMs?: number | undefined;
}

/** By itself: atomic for one document, committed at once. */
export const outside: Scope = { session: undefined };

/** The same for a read with a limit; undefined: without one. */
export const within = (readMs: number | undefined): Scope =>
  readMs === undefined ? outside : { session: undefined, readMs: Math.ceil(readMs) };

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
  /** Acknowledged by the primary alone: a later write of the same caller waits for the majority. */
  readonly unacknowledgedByMajority?: boolean;
}

export interface InsertOptions {
  /**
   * The caller repeats the statement by itself, outside transactions. The driver would have the server record every insert, for a
   * repetition by the driver.
   */
  readonly repeatedByCaller?: boolean;
}

export interface UpsertOptions extends WriteOptions {
  readonly upsert?: boolean;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
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
  insertMany(scope: Scope, documents: readonly TDocument[], options?: InsertOptions): Promise<void>;
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
  /**
   * Changes the document of this id, or creates it, and returns it as it is then. By itself, and acknowledged by the primary alone.
   * The caller repeats it: see `InsertOptions`.
   */
  upsertUnrecorded(id: string, update: object[]): Promise<TDocument | null>;
  /** Whether the scope's transaction may have written the document itself. */
  isOwnWrite(scope: Scope, id: string): boolean;
}

const primary = { readPreference: "primary" } as const;
const majorityWrite = { writeConcern: { w: "majority" } } as const;
const primaryWrite = { writeConcern: { w: 1 } } as const;
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

const writeOptions = (
  scope: Scope,
  { unacknowledgedByMajority = false, ...options }: WriteOptions = {},
): object =>
  scope.session === undefined
    ? { ...plainValues, ...options, ...(unacknowledgedByMajority ? primaryWrite : majorityWrite) }
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

const timeLimitExceeded = 50;

/** Runs a command in time and in turn, with typed errors. */
const createTyped =
  (answerTimeoutMs: number, name: string) =>
  async <T>({ session, readMs }: Scope, run: () => Promise<T>): Promise<T> => {
    const runInTime = (): Promise<T> => withDriverTimeout(answerTimeoutMs, run);
    if (session === undefined) {
      return runInTime().catch((error: unknown) => {
        throw readMs !== undefined && codeOf(error) === timeLimitExceeded
          ? new StatementTimeoutError(readMs, { cause: error })
          : toNamedError(error, name);
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
  return ({ session, readMs }, { candidates = false, ...others } = {}) => {
    const limit = readMs === undefined ? {} : { maxTimeMS: readMs };
    const rest = { ...plainValues, ...others, ...limit, batchSize };
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
    insertMany: (scope, documents, { repeatedByCaller = false } = {}) =>
      typed(scope, async () => {
        const { session } = scope;
        note(scope, () => documents);
        const isOneMessage = session === undefined ? repeatedByCaller : documents.length > 1;
        if (isOneMessage && fitsOneCommand(documents)) {
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
    findOneAndUpdate: (scope, filter, update, options) =>
      typed(scope, async () => {
        note(scope, () => [filter]);
        const asStored = { returnDocument: "after", includeResultMetadata: false };
        const all = { ...writeOptions(scope, options), ...asStored };
        // Likewise.
        return (await collection.findOneAndUpdate(filter, update, all)) as TDocument | null;
      }),
    deleteMany: (scope, filter) =>
      typed(scope, async () => {
        note(scope, () => [filter]);
        const result = await collection.deleteMany(filter, writeOptions(scope));
        return result.deletedCount;
      }),
    upsertUnrecorded: (id, update) =>
      typed(outside, async () => {
        const command = {
          ...{ findAndModify: name, query: { _id: id }, update, upsert: true, new: true },
          ...primaryWrite,
        };
        // Likewise.
        const reply = (await database.command(command, plainValues)) as { value: TDocument | null };
        return reply.value;
      }),
    isOwnWrite: (scope, id) => isOwnWrite(scope.session, space, id),
  };
};

export type JobCollection = StoreCollection<JobDocument>;
