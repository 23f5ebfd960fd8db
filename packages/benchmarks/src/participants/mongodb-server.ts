// The parts that the participants on MongoDB share: the user's collection and the view from
// outside.
import { type Document, type Filter, MongoClient } from "mongodb";
import { drainedAtBy, type Inspector, type Target } from "./participant.ts";

export const withMongodb = async <T>(
  { url }: Target,
  use: (client: MongoClient) => Promise<T>,
): Promise<T> => {
  const client = new MongoClient(url);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

/** A transaction can only write to a collection that is there without creating it, which takes a lock. */
export const createUserRows = (target: Target): Promise<unknown> =>
  withMongodb(target, (client) => client.db().createCollection("user_rows"));

/**
 * A job of any participant. All of them choose their ids themselves but Agenda, whose ids are never
 * queried.
 */
interface AnyJob extends Document {
  readonly _id: string;
}

/** `unfinished`: the statuses that are queried now, in the order in which a job meets them. */
export const inspectMongodb = async (
  { url }: Target,
  collection: string,
  unfinished: () => readonly Filter<AnyJob>[],
): Promise<Inspector> => {
  const client = new MongoClient(url);
  await client.connect();
  const database = client.db();
  const jobs = database.collection<AnyJob>(collection);
  return {
    unfinishedCount: async () => {
      const counts = await Promise.all(unfinished().map((filter) => jobs.countDocuments(filter)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    drainedAt: () =>
      drainedAtBy(
        unfinished().map((filter) => async (): Promise<boolean> => {
          return (await jobs.findOne(filter, { projection: { _id: 1 } })) !== null;
        }),
      ),
    writtenCount: () => database.collection("user_rows").countDocuments(),
    settle: async () => {
      await client.db("admin").command({ fsync: 1 });
    },
    close: () => client.close(),
  };
};
