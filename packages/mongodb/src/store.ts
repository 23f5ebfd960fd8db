// The collections, and the only callers of the driver. Every command says which scope it runs in, so that none of a
// transaction's can be sent without its session; outside one, concerns are given here and not by the client's settings.
import { type AsyncLock, createAsyncLock } from "queuert/internal";
import { answered } from "./answered.ts";
import { toTransactionError } from "./driver-errors.ts";
import type { MongoDatabase, MongoSession } from "./driver.ts";
import { fitsOneCommand, insertByCommand } from "./insert-command.ts";
import { toNamedError } from "./named-errors.ts";
import { isTouched, noteInserted, noteTouched } from "./touched.ts";
import type { JobDocument } from "./job-document.ts";

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
  /** Of candidates that the next statement checks again: what may still be rolled back will do. */
  readonly candidates?: boolean;
}

export interface WriteOptions {
  /** Outside transactions, a write waits for a locked document: at most this long. */
  readonly maxTimeMS?: number;
}

export interface UpsertOptions extends WriteOptions {
  readonly upsert?: boolean;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  /** Answered by the primary alone: a later write of the same caller waits for the majority. */
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
  /** In order; answers how many documents were modified. */
  bulkUpdate(scope: Scope, updates: readonly UpdateOne[], options?: WriteOptions): Promise<number>;
  findOneAndUpdate(
    scope: Scope,
    filter: object,
    update: object | object[],
    options: UpsertOptions,
  ): Promise<TDocument | null>;
  deleteMany(scope: Scope, filter: object): Promise<number>;
  /** Whether the scope's transaction may have written the document itself. */
  isTouched(scope: Scope, id: string): boolean;
}

const primary = { readPreference: "primary" } as const;
const majorityWrite = { writeConcern: { w: "majority" } } as const;
const majorityRead = { ...primary, readConcern: { level: "majority" } } as const;
const localRead = { ...primary, readConcern: { level: "local" } } as const;
// The commit of a transaction over several shards comes to one after the other. Other reads would see one half of it without
// the next: a sequence that has ended but for its output. This one waits for what is being committed.
const snapshotRead = { ...primary, readConcern: { level: "snapshot" } } as const;

// Values as this package reads them, whatever the client prefers: numbers as BSON objects or bigints would pass for others.
export const plainValues = {
  raw: false,
  fieldsAsRaw: {},
  promoteValues: true,
  promoteLongs: true,
  useBigInt64: false,
} as const;

// All in one answer, as far as it can hold them; the driver asks for a hundred at a time.
const batchSize = 100_000;

const readOptions = (
  scope: Scope,
  isSharded: boolean,
  options: FindOptions | undefined,
): object => {
  const { candidates = false, ...others } = options ?? {};
  const rest = { ...plainValues, ...others, batchSize };
  // Within a transaction concerns are the transaction's, and a command that names one is refused.
  if (scope.session !== undefined) return { ...rest, ...primary, session: scope.session };
  const settledRead = isSharded ? snapshotRead : majorityRead;
  return { ...rest, ...(candidates ? localRead : settledRead) };
};

const writeOptions = (scope: Scope, options: object = {}): object =>
  scope.session === undefined
    ? { ...plainValues, ...options, ...majorityWrite }
    : { ...plainValues, ...options, session: scope.session };

// A session runs one command at a time; callers may well start two at once in one transaction.
const turns = new WeakMap<MongoSession, AsyncLock>();

const inTurn = <T>(session: MongoSession, run: () => Promise<T>): Promise<T> => {
  let turn = turns.get(session);
  if (turn === undefined) {
    turn = createAsyncLock();
    turns.set(session, turn);
  }
  return turn.run(run);
};

/** Runs a command in time and in turn, its errors typed. */
const createTyped =
  (answerTimeoutMs: number, name: string) =>
  async <T>({ session }: Scope, run: () => Promise<T>): Promise<T> => {
    const runInTime = (): Promise<T> => answered(answerTimeoutMs, run);
    try {
      return await (session === undefined ? runInTime() : inTurn(session, runInTime));
    } catch (error) {
      throw toNamedError(session === undefined ? error : toTransactionError(error), name);
    }
  };

export interface StorePlace {
  readonly database: MongoDatabase;
  readonly isSharded: boolean;
  /** A statement without an answer for so long has lost its connection. */
  readonly answerTimeoutMs: number;
}

/** A collection whose documents all have one shape: nobody but this package writes them. */
export const createStoreCollection = <TDocument extends object>(
  { database, isSharded, answerTimeoutMs }: StorePlace,
  name: string,
): StoreCollection<TDocument> => {
  const collection = database.collection(name);
  const typed = createTyped(answerTimeoutMs, name);
  // Two stores may take part in one transaction, and ids of one's own may be the same in both.
  const space = `${database.databaseName}.${name}`;
  return {
    name,
    find: (scope, filter, options) =>
      typed(scope, async () => {
        const found = await collection
          .find(filter, readOptions(scope, isSharded, options))
          .toArray();
        // The driver cannot know the shape of what this package stored.
        return found as TDocument[];
      }),
    aggregate: <T>(scope: Scope, pipeline: object[], options?: FindOptions) =>
      typed(scope, async () => {
        const found = await collection
          .aggregate(pipeline, readOptions(scope, isSharded, options))
          .toArray();
        // As above: the shape is that of the pipeline's last stage.
        return found as T[];
      }),
    insertMany: (scope, documents) =>
      typed(scope, async () => {
        const { session } = scope;
        if (session !== undefined) noteInserted(session, space, documents);
        if (session !== undefined && documents.length > 1 && fitsOneCommand(documents)) {
          await insertByCommand(database, name, documents, session);
        } else await collection.insertMany(documents, writeOptions(scope));
      }),
    updateMany: (scope, filter, update, options) =>
      typed(scope, async () => {
        if (scope.session !== undefined) noteTouched(scope.session, space, filter);
        const result = await collection.updateMany(filter, update, writeOptions(scope, options));
        return result.modifiedCount;
      }),
    bulkUpdate: (scope, updates, options) =>
      typed(scope, async () => {
        const { session } = scope;
        if (session !== undefined) {
          for (const { updateOne } of updates) noteTouched(session, space, updateOne.filter);
        }
        const result = await collection.bulkWrite(updates, writeOptions(scope, options));
        return result.modifiedCount;
      }),
    findOneAndUpdate: (scope, filter, update, { unacknowledgedByMajority = false, ...rest }) =>
      typed(scope, async () => {
        if (scope.session !== undefined) noteTouched(scope.session, space, filter);
        const options = {
          ...writeOptions(scope, {
            ...rest,
            returnDocument: "after",
            includeResultMetadata: false,
          }),
          ...(unacknowledgedByMajority && { writeConcern: { w: 1 } }),
        };
        // As above.
        return (await collection.findOneAndUpdate(filter, update, options)) as TDocument | null;
      }),
    isTouched: (scope, id) => isTouched(scope.session, space, id),
    deleteMany: (scope, filter) =>
      typed(scope, async () => {
        if (scope.session !== undefined) noteTouched(scope.session, space, filter);
        const result = await collection.deleteMany(filter, writeOptions(scope));
        return result.deletedCount;
      }),
  };
};

export type JobCollection = StoreCollection<JobDocument>;
