// The same work in hand-written calls of the driver: one collection, the one index that it needs, and the
// server's default concerns. It gives no guarantees.
import type { Collection, MongoClient } from "mongodb";

interface FloorJob {
  readonly _id: string;
  readonly typeName: string;
  readonly status: string;
  readonly priority: number;
  readonly scheduledAt: Date;
  readonly ordinal: number;
  readonly input: string;
  readonly attempt: number;
}

export interface Floors {
  insert(count: number): Promise<void>;
  /** Acquires up to 100 jobs and completes them. Returns their number. */
  claimAndComplete(): Promise<number>;
  /** Acquires up to `count` jobs, and completes each in a transaction with one write of the user's. */
  transactionEach(count: number): Promise<void>;
}

export const openFloors = async (client: MongoClient, name: string): Promise<Floors> => {
  const jobs: Collection<FloorJob> = client.db(name).collection("floor_jobs");
  const effects = client.db(name).collection<{ _id: string }>("floor_effects");
  await jobs.createIndex({ status: 1, typeName: 1, priority: -1, scheduledAt: 1, ordinal: 1 });
  await effects.createIndex({ at: 1 });
  let ordinal = 0;

  const claim = async (limit: number): Promise<readonly string[]> => {
    const due = { status: "pending", typeName: "task", scheduledAt: { $lte: new Date() } };
    const found = await jobs
      .find(due, { projection: { _id: 1 } })
      .sort({ priority: -1, scheduledAt: 1, ordinal: 1 })
      .limit(limit)
      .toArray();
    const ids = found.map(({ _id }) => _id);
    await jobs.updateMany(
      { _id: { $in: ids }, status: "pending" },
      { $set: { status: "running", leasedBy: "floor" }, $inc: { attempt: 1 } },
    );
    await jobs.find({ _id: { $in: ids }, leasedBy: "floor" }).toArray();
    return ids;
  };

  return {
    insert: async (count) => {
      const documents = Array.from({ length: count }, (): FloorJob => {
        ordinal += 1;
        return {
          _id: crypto.randomUUID(),
          typeName: "task",
          status: "pending",
          priority: 0,
          scheduledAt: new Date(),
          ordinal,
          input: '{"to":"somebody@example.com"}',
          attempt: 0,
        };
      });
      await jobs.insertMany(documents);
    },
    claimAndComplete: async () => {
      const ids = await claim(100);
      if (ids.length === 0) return 0;
      await jobs.bulkWrite(
        ids.map((_id) => ({
          updateOne: {
            filter: { _id, status: "running" },
            update: { $set: { status: "completed", output: '"done"' }, $currentDate: { at: true } },
          },
        })),
      );
      return ids.length;
    },
    transactionEach: async (count) => {
      for (const _id of await claim(count)) {
        const session = client.startSession();
        session.startTransaction();
        await effects.insertOne({ _id }, { session });
        await jobs.updateOne(
          { _id, status: "running" },
          { $set: { status: "completed", output: '"done"' }, $currentDate: { at: true } },
          { session },
        );
        await session.commitTransaction();
        await session.endSession();
      }
    },
  };
};
