// Collections and indexes, brought to what this release needs. Nothing is dropped and no document is touched, so running
// it twice, or in many processes at once, does what running it once does. An index of ours that somebody has
// changed is reported and left alone. Answers are waited for as for those of any statement, but for an index on a collection
// that exists: building it takes as long as it has documents.
import { answered } from "./answered.ts";
import type { CollectionNames } from "./database.ts";
import type { MongoDatabase } from "./driver.ts";
import { assertOurs } from "./assert-ours.ts";
import { codeOf, isAlreadyThere } from "./driver-errors.ts";
import { MongoIndexDriftError } from "./errors.ts";
import { type CollectionIndexes, type IndexDefinition, toCollectionIndexes } from "./indexes.ts";
import { toNamedError } from "./named-errors.ts";

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

export interface StoredIndex {
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
  // All are looked at before any is written: what is somebody else's must find nothing changed.
  const plans: Plan[] = [];
  for (const each of toCollectionIndexes(names)) {
    plans.push(await named(each.collection, look(inTime, each, each.collection === names.jobs)));
  }
  for (const { collection, stored, missing } of dryRun ? [] : plans) {
    if (stored === null) await named(collection, createCollection(inTime, collection));
    // Of a collection that has just been made nothing is to be read.
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

const look = async (
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

/** Collections and indexes that are not there, by name. */
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

const inTimeOn =
  ({ database, answerTimeoutMs }: Target): RunCommand =>
  (command) =>
    answered(answerTimeoutMs, () => database.command(command));

const named = async <T>(collection: string, answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
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
    // A collection sharded by the hashed id has its index, and needs it.
    .filter(({ key }) => JSON.stringify(key) !== '{"_id":"hashed"}')
    .map(({ name }) => `${collection}.${name}`);

export type RunCommand = (command: object) => Promise<object>;

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
    const answer = (await run({ listIndexes: collection, cursor: { batchSize: 100 } })) as {
      readonly cursor: { readonly firstBatch: readonly StoredIndex[] };
    };
    return answer.cursor.firstBatch;
  } catch (error) {
    if (codeOf(error) === namespaceNotFound) return null;
    // None of its own; what it is, is said elsewhere.
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

/** The server waits for an equal build that is under way, and does nothing where the index is there by then. */
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
  // Order counts in a key, so text is what to compare.
  JSON.stringify(wanted.key) === JSON.stringify(stored.key) &&
  JSON.stringify(wanted.partialFilterExpression ?? {}) ===
    JSON.stringify(stored.partialFilterExpression ?? {}) &&
  stored.unique !== true &&
  stored.sparse !== true &&
  stored.hidden !== true &&
  stored.expireAfterSeconds === wanted.expireAfterSeconds;
