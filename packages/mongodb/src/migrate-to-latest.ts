// Collections and indexes, brought to what this release needs. Nothing is dropped and no document is touched, so running
// it twice, or in many processes at once, does what running it once does. An index of ours that somebody has
// changed is reported and left alone.
import type { CollectionNames } from "./database.ts";
import type { MongoDatabase } from "./driver.ts";
import { MongoIndexDriftError } from "./errors.ts";
import { type IndexDefinition, toCollectionIndexes } from "./indexes.ts";

export interface MigrateOptions {
  /** Only says what would be created. */
  readonly dryRun?: boolean | undefined;
}

export interface MigrationReport {
  /** What was created, or would be: names of collections, and of indexes as `collection.index`. */
  readonly created: readonly string[];
  /** Indexes on the collections that are not ours; they are kept, and cost what they cost. */
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

/** @throws QUEUERT_MONGODB_INDEX_DRIFT when an index of the same name is another one. */
export const migrateToLatest = async (
  database: MongoDatabase,
  names: CollectionNames,
  { dryRun = false }: MigrateOptions = {},
): Promise<MigrationReport> => {
  const created: string[] = [];
  const foreign: string[] = [];
  const differences: string[] = [];
  for (const { collection, indexes } of toCollectionIndexes(names)) {
    const stored = await readIndexes(database, collection);
    if (stored === null) created.push(collection);
    const missing: IndexDefinition[] = [];
    for (const index of indexes) {
      const found = stored?.find(({ name }) => name === index.name);
      if (found === undefined) missing.push(index);
      else if (!isSameIndex(index, found)) differences.push(`${collection}.${index.name}`);
    }
    created.push(...missing.map(({ name }) => `${collection}.${name}`));
    foreign.push(...toForeign(collection, indexes, stored ?? []));
    if (!dryRun) await createMissing(database, collection, stored === null, missing);
  }
  if (differences.length > 0) throw new MongoIndexDriftError(differences);
  return { created, foreign };
};

const toForeign = (
  collection: string,
  indexes: readonly IndexDefinition[],
  stored: readonly StoredIndex[],
): string[] =>
  stored
    .filter(({ name }) => name !== "_id_" && !indexes.some((index) => index.name === name))
    // A collection sharded by the hashed id has its index, and needs it.
    .filter(({ key }) => JSON.stringify(key) !== '{"_id":"hashed"}')
    .map(({ name }) => `${collection}.${name}`);

const namespaceNotFound = 26;
const namespaceExists = 48;

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;

const readIndexes = async (
  database: MongoDatabase,
  collection: string,
): Promise<readonly StoredIndex[] | null> => {
  try {
    // One batch: a collection has at most 64 indexes.
    const answer = (await database.command({
      listIndexes: collection,
      cursor: { batchSize: 100 },
    })) as {
      readonly cursor: { readonly firstBatch: readonly StoredIndex[] };
    };
    return answer.cursor.firstBatch;
  } catch (error) {
    if (codeOf(error) === namespaceNotFound) return null;
    throw error;
  }
};

const createMissing = async (
  database: MongoDatabase,
  collection: string,
  isNew: boolean,
  missing: readonly IndexDefinition[],
): Promise<void> => {
  const writeConcern = { w: "majority" };
  if (isNew) {
    try {
      await database.command({ create: collection, writeConcern });
    } catch (error) {
      // Another process was faster.
      if (codeOf(error) !== namespaceExists) throw error;
    }
  }
  if (missing.length > 0) {
    // The server waits for an equal build that is under way, and does nothing where the index is there by then.
    await database.command({ createIndexes: collection, indexes: missing, writeConcern });
  }
};

const isSameIndex = (wanted: IndexDefinition, stored: StoredIndex): boolean =>
  // Order counts in a key, so text is what to compare.
  JSON.stringify(wanted.key) === JSON.stringify(stored.key) &&
  JSON.stringify(wanted.partialFilterExpression ?? {}) ===
    JSON.stringify(stored.partialFilterExpression ?? {}) &&
  stored.unique !== true &&
  stored.sparse !== true &&
  stored.hidden !== true &&
  stored.expireAfterSeconds === wanted.expireAfterSeconds;
