// Hand-written calls of the driver: one collection, the one index that it needs, the server's
// default concerns, and no guarantees.
import { type ClientSession, type Collection, MongoClient } from "mongodb";
import { createJobIdGenerator } from "queuert/internal";
import { createUserRows, inspectMongodb, withMongodb } from "../mongodb-server.ts";
import {
  type FillCounts,
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
  type WorkOptions,
} from "../participant.ts";
import { createLoops } from "./loops.ts";

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

interface UserRow {
  readonly text: string;
}

const collectionName = "floor_jobs";

const jobOf = (id: string, ordinal: number, payload: Payload): FloorJob => ({
  ...{ _id: id, typeName: "single", status: "pending", priority: 0, scheduledAt: new Date() },
  ...{ ordinal, input: JSON.stringify(payload), attempt: 0 },
});

const inTransaction = async (
  client: MongoClient,
  statements: (session: ClientSession) => Promise<unknown>,
): Promise<void> => {
  const session = client.startSession();
  session.startTransaction();
  await statements(session);
  await session.commitTransaction();
  await session.endSession();
};

const acquire = async (
  jobs: Collection<FloorJob>,
  limit: number,
  loop: string,
): Promise<readonly FloorJob[]> => {
  const due = { status: "pending", typeName: "single", scheduledAt: { $lte: new Date() } };
  const found = await jobs
    .find(due, { projection: { _id: 1 } })
    .sort({ priority: -1, scheduledAt: 1, ordinal: 1 })
    .limit(limit)
    .toArray();
  if (found.length === 0) return [];
  const ids = found.map(({ _id }) => _id);
  await jobs.updateMany(
    { _id: { $in: ids }, status: "pending" },
    { $set: { status: "running", leasedBy: loop }, $inc: { attempt: 1 } },
  );
  return jobs.find({ _id: { $in: ids }, leasedBy: loop }).toArray();
};

const completed = {
  $set: { status: "completed", output: "null" },
  $currentDate: { at: true },
} as const;

const run = (job: FloorJob, onRun: (at: number) => void): void => {
  const { at } = JSON.parse(job.input) as Payload; // The fields that `jobOf` has written.
  onRun(at);
};

const inBatches =
  (jobs: Collection<FloorJob>, loop: string, { concurrency, onRun }: WorkOptions) =>
  async (): Promise<number> => {
    const taken = await acquire(jobs, concurrency, loop);
    if (taken.length === 0) return 0;
    for (const job of taken) run(job, onRun);
    const ids = taken.map(({ _id }) => _id);
    await jobs.updateMany({ _id: { $in: ids }, status: "running" }, completed);
    return taken.length;
  };

/** Taken in a batch; then a transaction for each, as many at a time as the driver's pool is happy with. */
const inTransactions = (
  client: MongoClient,
  loop: string,
  { concurrency, onRun }: WorkOptions,
): (() => Promise<number>) => {
  const jobs = client.db().collection<FloorJob>(collectionName);
  const rows = client.db().collection<UserRow>("user_rows");
  const finish = (job: FloorJob): Promise<void> =>
    inTransaction(client, async (session) => {
      run(job, onRun);
      await rows.insertOne({ text: "done" }, { session });
      await jobs.updateOne({ _id: job._id, status: "running" }, completed, { session });
    });
  return async () => {
    const taken = await acquire(jobs, Math.min(concurrency, 20), loop);
    await Promise.all(taken.map(finish));
    return taken.length;
  };
};

const open = async ({ url }: Target): Promise<Opened> => {
  const client = new MongoClient(url);
  await client.connect();
  const jobs = client.db().collection<FloorJob>(collectionName);
  const rows = client.db().collection<UserRow>("user_rows");
  const nextId = createJobIdGenerator();
  let ordinal = 0;
  const next = (payload: Payload): FloorJob => jobOf(nextId(), (ordinal += 1), payload);
  return {
    startOne: (payload) =>
      inTransaction(client, (session) => jobs.insertOne(next(payload), { session })),
    startInTransaction: (payload) =>
      inTransaction(client, async (session) => {
        await rows.insertOne({ text: "done" }, { session });
        await jobs.insertOne(next(payload), { session });
      }),
    startMany: (_workload, unitCount) =>
      inTransaction(client, (session) => {
        const documents = Array.from({ length: unitCount }, () => next(payloadOf(0)));
        return jobs.insertMany(documents, { session });
      }),
    work: async (options) => {
      const isCallback = options.workload === "callback";
      const steps = [0, 1].map((index) => {
        const loop = `${process.pid}-${index}`;
        return isCallback ? inTransactions(client, loop, options) : inBatches(jobs, loop, options);
      });
      const all = steps
        .slice(0, options.concurrency === 1 ? 1 : 2)
        .map((step) => createLoops(1, step));
      const inserts = jobs.watch([{ $match: { operationType: "insert" } }]);
      inserts.on("change", () => all[0]?.wake());
      return async () => {
        await inserts.close();
        await Promise.all(all.map((loops) => loops.stop()));
      };
    },
    close: () => client.close(),
  };
};

const prepare = async (target: Target): Promise<void> => {
  await withMongodb(target, (client) =>
    client
      .db()
      .collection(collectionName)
      .createIndex(
        { typeName: 1, priority: -1, scheduledAt: 1, ordinal: 1 },
        { partialFilterExpression: { status: "pending" } },
      ),
  );
  await createUserRows(target);
};

const batchSize = 10_000;
const dayMs = 86_400_000;

const fill = async (target: Target, counts: FillCounts): Promise<void> => {
  const { finished, scheduled, otherType } = counts;
  await withMongodb(target, async (client) => {
    const jobs = client.db().collection<FloorJob>(collectionName);
    const total = finished + scheduled + otherType;
    const later = new Date(Date.now() + dayMs);
    for (let done = 0; done < total; done += batchSize) {
      const documents = Array.from({ length: Math.min(batchSize, total - done) }, (_, index) => {
        const number = done + index;
        const job = jobOf(
          `0-${number.toString(16).padStart(12, "0")}`,
          number - total,
          payloadOf(0),
        );
        if (number < finished) return { ...job, status: "completed", output: "null" };
        if (number >= finished + scheduled) return { ...job, typeName: "other" };
        return { ...job, scheduledAt: later, priority: number % 2 };
      });
      await jobs.insertMany(documents);
    }
  });
};

export const participant: Participant = {
  store: "mongodb",
  settings:
    "mongodb driver with its defaults (majority), a change stream tells of new jobs; by value in batches, by callback in a transaction for each",
  workloads: ["value", "callback"],
  prepare,
  open,
  inspect: (target) =>
    // Ids begin with the time: those that a collection was filled with begin with a smaller one.
    inspectMongodb(target, collectionName, () => [
      { typeName: "single", status: "pending", priority: 0, scheduledAt: { $lte: new Date() } },
      { _id: { $gt: "01900000" }, status: "running" },
    ]),
  fill,
};
