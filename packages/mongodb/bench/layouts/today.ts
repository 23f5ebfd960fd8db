// The collections as they are: one document for a job, which the acquisition and the completion update.
import type { Collection } from "mongodb";
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

const toLease = (acquisition: string): object => ({
  status: "running",
  acquisition,
  leasedBy: { $literal: workerId },
  leasedUntil: { $add: ["$$NOW", leaseMs] },
  attempt: { $add: ["$attempt", 1] },
  leaseVersion: { $add: ["$leaseVersion", 1] },
  lastAttemptAt: "$$NOW",
});

const acquire = async (
  jobs: Collection<JobDocument>,
  limit: number,
): Promise<readonly HeldJob[]> => {
  const due = { status: "pending", typeName, priority: 0 };
  const found = await jobs
    .find({ ...due, scheduledAt: { $lte: new Date() } }, { projection: { _id: 1 } })
    .sort({ priority: -1, scheduledAt: 1, ordinal: 1 })
    .limit(limit)
    .toArray();
  const ids = found.map(({ _id }) => _id);
  const stamp = nextId();
  await jobs.updateMany({ _id: { $in: ids }, status: "pending" }, [{ $set: toLease(stamp) }]);
  const held = await jobs.find({ _id: { $in: ids }, acquisition: stamp }).toArray();
  return held.map(({ _id, leaseVersion }) => ({ _id, leaseVersion, leaseId: "" }));
};

export const openToday: OpenLayout = (client, databaseName) => {
  const jobs = client.db(databaseName).collection<JobDocument>("queuert_jobs");
  return {
    prepare: () => Promise.resolve(),
    start: (count) =>
      transact(client, async (session) => {
        const now = new Date();
        const documents = Array.from({ length: count }, () => newJob("pending", now));
        await client
          .db(databaseName)
          .command({ insert: jobs.collectionName, documents }, { session });
      }),
    acquire: (limit) => acquire(jobs, limit),
    complete: async (held) => {
      const ids = held.map(({ _id }) => _id);
      const stamp = nextId();
      await jobs.updateMany({ _id: { $in: ids }, status: "running", leaseVersion: 1 }, [
        {
          $set: {
            ...{
              status: "completed",
              stamp,
              finishedAt: "$$NOW",
              completedByLease: "$leaseVersion",
            },
            ...{ completedBy: { $literal: workerId }, output: { $literal: output } },
          },
        },
        { $unset: ["leasedBy", "leasedUntil"] },
      ]);
      await jobs.find({ _id: { $in: ids }, stamp }, { projection: { _id: 1 } }).toArray();
    },
    completeOne: async (session, { _id, leaseVersion }) => {
      await jobs.findOneAndUpdate(
        { _id, status: "running", leaseVersion },
        {
          $set: {
            status: "completed",
            output,
            completedBy: workerId,
            completedByLease: leaseVersion,
          },
          $currentDate: { finishedAt: true },
          $unset: { leasedBy: 1, leasedUntil: 1 },
        },
        { session, projection: { _id: 1 } },
      );
    },
  };
};
