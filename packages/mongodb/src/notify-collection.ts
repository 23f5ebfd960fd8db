// The capped collection of notifications: made by whoever is first, and mended where it has been dropped under publishers.
import { isAlreadyThere } from "./driver-errors.ts";
import { MongoNotifyCollectionError } from "./errors.ts";
import { isUnauthorized } from "./named-errors.ts";
import { markChannel } from "./notification-tail.ts";
import type { NotifyDatabase } from "./notify-provider.ts";

export interface NotifyCollectionOptions {
  readonly sizeBytes: number;
  readonly channels: readonly string[];
}

/** Resolves when there is a capped one. */
export const createNotifyCollection = async (
  database: NotifyDatabase,
  name: string,
  options: NotifyCollectionOptions,
): Promise<void> => {
  try {
    await database.command({ create: name, capped: true, size: options.sizeBytes });
  } catch (error) {
    const isThere = isAlreadyThere(error);
    // Who may not create one may still use the one that is there.
    if (!isThere && !isUnauthorized(error)) throw error;
    if (await isCapped(database, name)) return;
    if (!isThere) throw error;
    await mend(database, name, options);
  }
};

// Another process has created it, with the same options or others; or somebody has inserted into it by hand.
const isCapped = async (database: NotifyDatabase, name: string): Promise<boolean> => {
  // What every server answers to `listCollections`.
  interface Answer {
    readonly cursor: {
      readonly firstBatch: readonly { readonly options?: { readonly capped?: boolean } }[];
    };
  }
  try {
    const answer = (await database.command({ listCollections: 1, filter: { name } })) as Answer;
    return answer.cursor.firstBatch[0]?.options?.capped === true;
  } catch (error) {
    // Who may not look either believes it: the cursor would say.
    if (isUnauthorized(error)) return true;
    throw error;
  }
};

/** An ordinary one with nothing but notifications in it has been made by a publisher's insert, after somebody has dropped it. */
const mend = async (
  database: NotifyDatabase,
  name: string,
  { sizeBytes, channels }: NotifyCollectionOptions,
): Promise<void> => {
  const ours = { channel: { $in: [markChannel, ...channels] }, text: { $type: "string" } };
  const answer = (await database.command({
    ...{ find: name, filter: { $nor: [ours] }, limit: 1, singleBatch: true },
  })) as { readonly cursor: { readonly firstBatch: readonly object[] } };
  if (answer.cursor.firstBatch.length > 0) throw new MongoNotifyCollectionError(name);
  await database.command({ convertToCapped: name, size: sizeBytes });
};
