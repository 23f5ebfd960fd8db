import { createMongoStateAdapter, type MongoDatabase } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { MongoClient } from "mongodb";
import { createUserRows, inspectMongodb, withMongodb } from "../mongodb-server.ts";
import type { FillCounts, Opened, Participant, Target } from "../participant.ts";
import { limitedWorkloads } from "./limits.ts";
import { openQueuert, type QueuertParts } from "./open-queuert.ts";
import type { Transport } from "./postgres.ts";

const prepare = async (target: Target): Promise<void> => {
  await withMongodb(target, async (client) => {
    const stateProvider = createMongodbProvider({ client });
    await (await createMongoStateAdapter({ stateProvider })).migrateToLatest();
  });
  await createUserRows(target);
};

interface MongodbOptions extends Pick<QueuertParts<object, object>, "workerRegistry"> {
  /** The database as the adapter sees it. */
  readonly toDatabase?: (database: MongoDatabase) => MongoDatabase;
}

/** `connect`: the notify adapter, over the same client. */
export const openWithMongodb = async (
  { url }: Target,
  connect?: (client: MongoClient) => Promise<Transport>,
  { toDatabase = (database) => database, ...options }: MongodbOptions = {},
): Promise<Opened> => {
  const client = new MongoClient(url);
  const provider = createMongodbProvider({ client });
  const stateProvider = { ...provider, database: toDatabase(provider.database) };
  const transport = await connect?.(client);
  const rows = client.db().collection<{ text: string }>("user_rows");
  return openQueuert({
    stateAdapter: await createMongoStateAdapter({ stateProvider }),
    ...(transport && { notifyAdapter: transport.notifyAdapter }),
    writeRow: ({ session }) => rows.insertOne({ text: "done" }, { session }),
    ...options,
    close: async () => {
      await transport?.notifyAdapter.close();
      await client.close();
    },
  });
};

const types = [
  "single",
  "keyed",
  "step-1",
  "step-2",
  "step-3",
  "step-4",
  "step-5",
  "part",
  "whole",
];
const hourMs = 3_600_000;
const batchSize = 10_000;

/** Documents as the adapter leaves them. Blocked jobs wait for the first of the scheduled ones. */
const fill = async (target: Target, counts: FillCounts): Promise<void> => {
  const { finished, scheduled, blocked, otherType } = counts;
  const now = new Date();
  const later = new Date(now.getTime() + 24 * hourMs);
  const idOf = (number: number): string =>
    `${(1_700_000_000_000 + number)
      .toString(16)
      .padStart(12, "0")
      .replace(/^(.{8})/, "$1-")}-7000-8000-${number.toString(16).padStart(12, "0")}`;
  const documentOf = (number: number): Record<string, unknown> => {
    const id = idOf(number);
    const common = {
      ...{ _id: id, typeName: "single", position: 0, ordinal: number },
      ...{ input: `{"at":0,"text":"${"x".repeat(70)}"}`, priority: 0 },
      ...{ createdAt: now, scheduledAt: now, attempt: 0, leaseVersion: 0 },
    };
    if (number < finished) {
      const end = { finishedAt: now, completedBy: "worker", output: "null", attempt: 1 };
      return { ...common, ...end, status: "completed", leaseVersion: 1, lastAttemptAt: now };
    }
    // Half of them have a higher priority: they stand in front of the due jobs.
    if (number < finished + scheduled)
      return { ...common, status: "pending", scheduledAt: later, priority: number % 2 };
    if (number >= finished + scheduled + blocked)
      return { ...common, status: "pending", typeName: "other" };
    const waitsFor = [idOf(finished)];
    return { ...common, status: "blocked", blockers: waitsFor, openBlockers: waitsFor };
  };
  await withMongodb(target, async (client) => {
    const jobs = client.db().collection("queuert_jobs");
    const total = finished + scheduled + blocked + otherType;
    for (let done = 0; done < total; done += batchSize) {
      const count = Math.min(batchSize, total - done);
      await jobs.insertMany(Array.from({ length: count }, (_, index) => documentOf(done + index)));
    }
    // The adapter's counter: the order of creation continues after the existing jobs.
    await client
      .db()
      .collection<{ _id: string }>("queuert_counters")
      .updateOne({ _id: "ordinal" }, { $set: { value: total, at: now } }, { upsert: true });
  });
};

export const participant: Participant = {
  store: "mongodb",
  settings: "mongodb driver with its defaults (majority), no notify adapter",
  workloads: ["value", "callback", "chain", "fan-in", "failing", ...limitedWorkloads],
  prepare,
  open: (target) => openWithMongodb(target),
  inspect: (target) =>
    inspectMongodb(target, "queuert_jobs", () => [
      { status: "blocked", typeName: "whole" },
      {
        status: "pending",
        typeName: { $in: types },
        priority: 0,
        scheduledAt: { $lte: new Date() },
      },
      // A job under a key has no `priority`.
      { status: "pending", typeName: "keyed", keyPriority: { $exists: true } },
      { status: "running", leasedUntil: { $exists: true } },
    ]),
  fill,
};
