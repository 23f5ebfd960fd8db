// Collections and indexes, brought to the state that this release needs. Nothing is dropped and no document
// is written: two runs, also at once in many processes, have the effect of one. An index of Queuert's that
// was changed is reported and left alone. Every command has a timeout, except an index build on an
// existing collection, which takes as long as the collection is large.
import type { CollectionNames } from "../database.ts";
import { codeOf, isAlreadyThere } from "../driver-errors.ts";
import { toNamedError } from "../named-errors.ts";
import { withDriverTimeout } from "../driver-timeout.ts";
import { MongoCollectionTakenError, MongoIndexDriftError } from "../errors.ts";
import type { MongoDatabase } from "../state-provider.ts";
import { type CollectionIndexes, type IndexDefinition, toCollectionIndexes } from "./index.ts";

/** The options of a migration. */
export interface MigrateOptions {
  /** Only reports the collections and indexes that are missing. Default: false. */
  readonly dryRun?: boolean | undefined;
}

/** The result of a migration. */
export interface MigrationReport {
  /** The created (in a dry run: missing) names of collections, and of indexes as `collection.index`. */
  readonly created: readonly string[];
  /** Indexes on the collections that are not Queuert's. They are kept, and slow down writes. */
  readonly foreign: readonly string[];
}

interface StoredIndex {
  readonly name: string;
  readonly key: object;
  readonly partialFilterExpression?: object;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly hidden?: boolean;
  readonly expireAfterSeconds?: number;
}

export interface Target {
  readonly database: MongoDatabase;
  readonly names: CollectionNames;
  readonly answerTimeoutMs: number;
}

/** @throws QUEUERT_MONGODB_INDEX_DRIFT when an index of the same name is another one. */
export const migrateToLatest = async (
  target: Target,
  { dryRun = false }: MigrateOptions = {},
): Promise<MigrationReport> => {
  const { database, names } = target;
  const inTime = inTimeOn(target);
  // All are read before the first is written: if one belongs to another application, nothing is changed.
  const plans: Plan[] = [];
  for (const each of toCollectionIndexes(names)) {
    plans.push(await named(each.collection, toPlan(inTime, each, each.collection === names.jobs)));
  }
  for (const { collection, stored, missing } of dryRun ? [] : plans) {
    if (stored === null) await named(collection, createCollection(inTime, collection));
    // A new collection has no documents to index.
    const run: RunCommand = stored === null ? inTime : (command) => database.command(command);
    if (missing.length > 0) await named(collection, createIndexes(run, collection, missing));
  }
  const differences = plans.flatMap((plan) => plan.differences);
  if (differences.length > 0) throw new MongoIndexDriftError(differences);
  return {
    created: plans.flatMap(({ collection, stored, missing }) => [
      ...(stored === null ? [collection] : []),
      ...missing.map(({ name }) => `${collection}.${name}`),
    ]),
    foreign: plans.flatMap((plan) => plan.foreign),
  };
};

interface Plan {
  readonly collection: string;
  readonly stored: readonly StoredIndex[] | null;
  readonly missing: readonly IndexDefinition[];
  readonly differences: readonly string[];
  readonly foreign: readonly string[];
}

const toPlan = async (
  run: RunCommand,
  { collection, indexes }: CollectionIndexes,
  isJobs: boolean,
): Promise<Plan> => {
  const stored = await readIndexes(run, collection);
  if (stored !== null) await assertOurs(run, collection, stored, isJobs);
  const byName = new Map(stored?.map((index) => [index.name, index]));
  return {
    ...{ collection, stored },
    missing: indexes.filter(({ name }) => !byName.has(name)),
    differences: indexes.flatMap((index) => {
      const found = byName.get(index.name);
      return found === undefined || isSameIndex(index, found) ? [] : `${collection}.${index.name}`;
    }),
    foreign: toForeign(collection, indexes, stored ?? []),
  };
};

/** The names of missing collections and indexes. */
export const findMissing = async (target: Target): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const { collection, indexes } of toCollectionIndexes(target.names)) {
    const stored = await readIndexes(inTimeOn(target), collection);
    if (stored === null) missing.push(collection);
    const names = new Set(stored?.map(({ name }) => name));
    missing.push(
      ...indexes.flatMap(({ name }) => (names.has(name) ? [] : `${collection}.${name}`)),
    );
  }
  return missing;
};

// No job has this id.
const noId = "";

/** Rejects if the user of the connection may not write. The server checks rights before it looks for the document. */
export const assertWritable = async (target: Target): Promise<void> => {
  const run = inTimeOn(target);
  for (const collection of Object.values(target.names)) {
    const updates = [{ q: { _id: noId }, u: { $set: { checked: true } } }];
    await named(collection, run({ update: collection, updates }));
  }
};

const inTimeOn =
  ({ database, answerTimeoutMs }: Target): RunCommand =>
  (command) =>
    withDriverTimeout(answerTimeoutMs, () => database.command(command));

const named = async <T>(collection: string, running: Promise<T>): Promise<T> => {
  try {
    return await running;
  } catch (error) {
    throw toNamedError(error, collection);
  }
};

const toForeign = (
  collection: string,
  indexes: readonly IndexDefinition[],
  stored: readonly StoredIndex[],
): string[] =>
  stored
    .filter(({ name }) => name !== "_id_" && !indexes.some((index) => index.name === name))
    // A collection sharded by the hashed id needs the index by it.
    .filter(({ key }) => JSON.stringify(key) !== '{"_id":"hashed"}')
    .map(({ name }) => `${collection}.${name}`);

type RunCommand = (command: object) => Promise<object>;

const namespaceNotFound = 26;
const isView = 166;
// The same name for another index, or the same index under another name.
const indexConflicts = new Set<unknown>([85, 86]);

const readIndexes = async (
  run: RunCommand,
  collection: string,
): Promise<readonly StoredIndex[] | null> => {
  try {
    // One batch: a collection has at most 64 indexes.
    const reply = (await run({ listIndexes: collection, cursor: { batchSize: 100 } })) as {
      readonly cursor: { readonly firstBatch: readonly StoredIndex[] };
    };
    return reply.cursor.firstBatch;
  } catch (error) {
    if (codeOf(error) === namespaceNotFound) return null;
    // A view has none. `assertOurs` refuses it.
    if (codeOf(error) === isView) return [];
    throw error;
  }
};

const writeConcern = { w: "majority" };

const createCollection = async (run: RunCommand, collection: string): Promise<void> => {
  try {
    await run({ create: collection, writeConcern });
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
};

/** The server waits for an equal build that is under way, and then does nothing. */
const createIndexes = async (
  run: RunCommand,
  collection: string,
  indexes: readonly IndexDefinition[],
): Promise<void> => {
  try {
    await run({ createIndexes: collection, indexes, writeConcern });
  } catch (error) {
    if (!indexConflicts.has(codeOf(error)) || !(error instanceof Error)) throw error;
    throw new MongoIndexDriftError([`${collection}: ${error.message}`], { cause: error });
  }
};

const isSameIndex = (wanted: IndexDefinition, stored: StoredIndex): boolean =>
  // The order of a key's fields counts, so texts are compared.
  JSON.stringify(wanted.key) === JSON.stringify(stored.key) &&
  JSON.stringify(wanted.partialFilterExpression ?? {}) ===
    JSON.stringify(stored.partialFilterExpression ?? {}) &&
  stored.unique !== true &&
  stored.sparse !== true &&
  stored.hidden !== true &&
  stored.expireAfterSeconds === wanted.expireAfterSeconds;

interface ListedCollection {
  readonly type?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/**
 * Refuses an existing collection that is not Queuert's, or that would lose jobs. A capped one drops the
 * oldest documents, and one with a collation reads "Mail" as "mail".
 */
const assertOurs = async (
  run: RunCommand,
  collection: string,
  stored: readonly StoredIndex[],
  isJobs: boolean,
): Promise<void> => {
  // The shape of every server's reply to `listCollections`.
  const reply = (await run({ listCollections: 1, filter: { name: collection } })) as {
    readonly cursor: { readonly firstBatch: readonly ListedCollection[] };
  };
  const [{ type = "collection", options = {} } = {}] = reply.cursor.firstBatch;
  if (type !== "collection") throw new MongoCollectionTakenError(collection, `it is a ${type}`);
  const foreign = ["capped", "collation", "validator"].find((name) => options[name] !== undefined);
  if (foreign !== undefined && options[foreign] !== false) {
    throw new MongoCollectionTakenError(collection, `it has the option "${foreign}"`);
  }
  if (isJobs && stored.length <= 1) await assertOurDocuments(run, collection);
};

// A collection without indexes of Queuert's may be another application's, or was never migrated: then it
// holds jobs only.
const assertOurDocuments = async (run: RunCommand, collection: string): Promise<void> => {
  const foreign = { $or: [{ ordinal: { $exists: false } }, { typeName: { $exists: false } }] };
  const reply = (await run({
    ...{ find: collection, filter: foreign, projection: { _id: 1 }, limit: 1 },
    ...{ singleBatch: true, readConcern: { level: "local" } },
  })) as { readonly cursor: { readonly firstBatch: readonly object[] } };
  if (reply.cursor.firstBatch.length > 0) {
    throw new MongoCollectionTakenError(collection, "it has documents that are not jobs");
  }
};
