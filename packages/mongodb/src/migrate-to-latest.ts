// Collections and indexes, brought to what this release needs. Nothing is dropped and no document is touched, so running
// it twice, or in many processes at once, does what running it once does. An index of ours that somebody has
// changed is reported and left alone. Answers are waited for as for those of any statement, but for an index on a collection
// that exists: building it takes as long as it has documents.
import { answered } from "./answered.ts";
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

interface Target {
  readonly database: MongoDatabase;
  readonly names: CollectionNames;
  readonly answerTimeoutMs: number;
}

/** @throws QUEUERT_MONGODB_INDEX_DRIFT when an index of the same name is another one. */
export const migrateToLatest = async (
  target: Target,
  { dryRun = false }: MigrateOptions = {},
): Promise<MigrationReport> => {
  const { database, names, answerTimeoutMs } = target;
  const inTime = (command: object): Promise<object> =>
    answered(answerTimeoutMs, () => database.command(command));
  const created: string[] = [];
  const foreign: string[] = [];
  const differences: string[] = [];
  for (const { collection, indexes } of toCollectionIndexes(names)) {
    const stored = await readIndexes(inTime, collection);
    if (stored === null) created.push(collection);
    const missing: IndexDefinition[] = [];
    for (const index of indexes) {
      const found = stored?.find(({ name }) => name === index.name);
      if (found === undefined) missing.push(index);
      else if (!isSameIndex(index, found)) differences.push(`${collection}.${index.name}`);
    }
    created.push(...missing.map(({ name }) => `${collection}.${name}`));
    foreign.push(...toForeign(collection, indexes, stored ?? []));
    if (dryRun) continue;
    if (stored === null) await createCollection(inTime, collection);
    // Of a collection that has just been made nothing is to be read.
    const run: RunCommand = stored === null ? inTime : (command) => database.command(command);
    if (missing.length > 0) await createIndexes(run, collection, missing);
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

type RunCommand = (command: object) => Promise<object>;

const namespaceNotFound = 26;
const namespaceExists = 48;

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;

const readIndexes = async (
  run: RunCommand,
  collection: string,
): Promise<readonly StoredIndex[] | null> => {
  try {
    // One batch: a collection has at most 64 indexes.
    const answer = (await run({ listIndexes: collection, cursor: { batchSize: 100 } })) as {
      readonly cursor: { readonly firstBatch: readonly StoredIndex[] };
    };
    return answer.cursor.firstBatch;
  } catch (error) {
    if (codeOf(error) === namespaceNotFound) return null;
    throw error;
  }
};

const writeConcern = { w: "majority" };

const createCollection = async (run: RunCommand, collection: string): Promise<void> => {
  try {
    await run({ create: collection, writeConcern });
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== namespaceExists) throw error;
  }
};

/** The server waits for an equal build that is under way, and does nothing where the index is there by then. */
const createIndexes = async (
  run: RunCommand,
  collection: string,
  indexes: readonly IndexDefinition[],
): Promise<void> => {
  await run({ createIndexes: collection, indexes, writeConcern });
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
