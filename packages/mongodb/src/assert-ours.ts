// A collection that is there already is not always one that Queuert has made. Some of another kind would take jobs and lose
// them without a word: a capped one drops the oldest, one with a collation takes "Mail" for "mail".
import { MongoCollectionTakenError } from "./errors.ts";
import type { RunCommand, StoredIndex } from "./migrate-to-latest.ts";

interface ListedCollection {
  readonly type?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** @throws QUEUERT_MONGODB_COLLECTION_TAKEN when jobs cannot be kept in it. */
export const assertOurs = async (
  run: RunCommand,
  collection: string,
  stored: readonly StoredIndex[],
  isJobs: boolean,
): Promise<void> => {
  // What every server answers to `listCollections`.
  const answer = (await run({ listCollections: 1, filter: { name: collection } })) as {
    readonly cursor: { readonly firstBatch: readonly ListedCollection[] };
  };
  const [{ type = "collection", options = {} } = {}] = answer.cursor.firstBatch;
  if (type !== "collection") throw new MongoCollectionTakenError(collection, `it is a ${type}`);
  const foreign = ["capped", "collation", "validator"].find((name) => options[name] !== undefined);
  if (foreign !== undefined && options[foreign] !== false) {
    throw new MongoCollectionTakenError(collection, `it has the option "${foreign}"`);
  }
  if (isJobs && stored.length <= 1) await assertOurDocuments(run, collection);
};

// Without an index of ours it may be anybody's. A store that was never migrated has jobs in it.
const assertOurDocuments = async (run: RunCommand, collection: string): Promise<void> => {
  const foreign = { $or: [{ ordinal: { $exists: false } }, { typeName: { $exists: false } }] };
  const answer = (await run({
    ...{ find: collection, filter: foreign, projection: { _id: 1 }, limit: 1 },
    ...{ singleBatch: true, readConcern: { level: "local" } },
  })) as { readonly cursor: { readonly firstBatch: readonly object[] } };
  if (answer.cursor.firstBatch.length > 0) {
    throw new MongoCollectionTakenError(collection, "it has documents that are no jobs");
  }
};
