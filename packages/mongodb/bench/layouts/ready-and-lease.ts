// The layout that PostgreSQL has, decision 0011: a document of `ready` for each job that may run, deleted by the acquisition. A
// document of `leases` for each acquisition. That of the job is written at the start, and once at the end.
import type { ClientSession, MongoClient } from "mongodb";
import {
  type HeldJob,
  type JobDocument,
  leaseMs,
  newJob,
  nextId,
  type OpenLayout,
  output,
  transact,
  typeName,
  workerId,
} from "./layout.ts";

interface ReadyDocument {
  readonly _id: string;
  readonly typeName: string;
  readonly priority: number;
  readonly scheduledAt: Date;
  readonly ordinal: number;
}

interface LeaseDocument {
  readonly _id: string;
  readonly typeName: string;
  readonly leasedBy: string;
  readonly leasedUntil: Date;
  readonly acquiredAt: Date;
  readonly jobs: readonly { readonly _id: string; readonly version: number }[];
}

const openCollections = (client: MongoClient, databaseName: string) => {
  const db = client.db(databaseName);
  return {
    db,
    jobs: db.collection<JobDocument>("queuert_jobs"),
    ready: db.collection<ReadyDocument>("queuert_ready"),
    leases: db.collection<LeaseDocument>("queuert_leases"),
  };
};

type Collections = ReturnType<typeof openCollections>;

const start = async (
  client: MongoClient,
  { db, jobs, ready }: Collections,
  count: number,
): Promise<void> => {
  const now = new Date();
  const documents = Array.from({ length: count }, () => newJob("open", now));
  const places = documents.map(({ _id, ordinal }): ReadyDocument => ({
    _id,
    typeName,
    priority: 0,
    scheduledAt: now,
    ordinal,
  }));
  await transact(client, async (session) => {
    await db.command({ insert: jobs.collectionName, documents }, { session });
    await db.command({ insert: ready.collectionName, documents: places }, { session });
  });
};

// A deletion does not say which documents it has deleted. So the three commands are one transaction.
const acquire = async (
  client: MongoClient,
  { jobs, ready, leases }: Collections,
  limit: number,
): Promise<readonly HeldJob[]> => {
  const leaseId = nextId();
  const ids = await transact(client, async (session) => {
    const found = await ready
      .find(
        { typeName, priority: 0, scheduledAt: { $lte: new Date() } },
        { session, projection: { _id: 1 } },
      )
      .sort({ priority: -1, scheduledAt: 1, ordinal: 1 })
      .limit(limit)
      .toArray();
    const held = found.map(({ _id }) => _id);
    await ready.deleteMany({ _id: { $in: held } }, { session });
    const now = Date.now();
    await leases.insertOne(
      {
        ...{ _id: leaseId, typeName, leasedBy: workerId },
        ...{ leasedUntil: new Date(now + leaseMs), acquiredAt: new Date(now) },
        jobs: held.map((_id) => ({ _id, version: 1 })),
      },
      { session },
    );
    return held;
  });
  const found = await jobs.find({ _id: { $in: ids } }).toArray();
  return found.map(({ _id }) => ({ _id, leaseVersion: 1, leaseId }));
};

const toCompleted = (leaseVersion: number): object => ({
  $set: {
    ...{ status: "completed", output, completedBy: workerId, completedByLease: leaseVersion },
    lastAttemptAt: new Date(),
  },
  $currentDate: { finishedAt: true },
  $inc: { attempt: 1, leaseVersion: 1 },
});

/** Takes the jobs out of the lease, which is the fence. */
const leave = async (
  { leases }: Collections,
  session: ClientSession,
  leaseId: string,
  ids: readonly string[],
): Promise<void> => {
  const left = await leases.findOneAndUpdate(
    { _id: leaseId },
    { $pull: { jobs: { _id: { $in: ids } } } },
    { session, returnDocument: "after", projection: { count: { $size: "$jobs" } } },
  );
  if (left !== null && "count" in left && left.count === 0)
    await leases.deleteOne({ _id: leaseId }, { session });
};

export const openReadyAndLease: OpenLayout = (client, databaseName) => {
  const all = openCollections(client, databaseName);
  const { jobs, ready, leases } = all;
  return {
    prepare: async () => {
      await jobs.dropIndex("due");
      await jobs.dropIndex("lease");
      await ready.createIndex({ typeName: 1, priority: -1, scheduledAt: 1, ordinal: 1 });
      await leases.createIndex({ leasedUntil: 1 });
    },
    start: (count) => start(client, all, count),
    acquire: (limit) => acquire(client, all, limit),
    complete: (held) =>
      transact(client, async (session) => {
        const ids = held.map(({ _id }) => _id);
        await leave(all, session, held[0]?.leaseId ?? "", ids);
        const open = { _id: { $in: ids }, status: "open", leaseVersion: 0 };
        await jobs.updateMany(open, toCompleted(1), { session });
      }),
    completeOne: async (session, { _id, leaseId, leaseVersion }) => {
      await leave(all, session, leaseId, [_id]);
      await jobs.updateOne(
        { _id, status: "open", leaseVersion: leaseVersion - 1 },
        toCompleted(leaseVersion),
        { session },
      );
    },
  };
};
