// A server whose clients need a user: wrong credentials and missing rights have a name, and a worker does not start.
import { type MongodbService, startMongodb } from "@queuert/test-services";
import { MongoClient } from "mongodb";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { jobs } from "queuert/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createMongoNotifyAdapter, createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const databaseName = "app";
const roleOf: Readonly<Record<string, string>> = { owner: "readWrite", reader: "read" };
let service: MongodbService;
let clients: MongoClient[] = [];

const connect = (user?: string, password = "secret"): MongoClient => {
  const url =
    user === undefined ? service.url : service.url.replace("//", `//${user}:${password}@`);
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000, retryReads: false });
  clients.push(client);
  return client;
};

const openAs = async (user?: string, password?: string) => {
  const client = connect(user, password);
  return createMongoStateAdapter({
    stateProvider: createMongodbProvider({ client, databaseName }),
  });
};

beforeAll(async () => {
  service = await startMongodb({ withUsers: true, exclusive: true });
  // The first user, over a local connection: it creates the others.
  const createUser = { createUser: "admin", pwd: "secret", roles: ["root"] };
  await connect().db("admin").command(createUser);
  const admin = connect("admin");
  for (const [user, role] of Object.entries(roleOf)) {
    const roles = [{ role, db: databaseName }];
    await admin.db("admin").command({ createUser: user, pwd: "secret", roles });
  }
  await admin.db("admin").command({ createUser: "stranger", pwd: "secret", roles: [] });
  await (await openAs("owner")).migrateToLatest();
}, 60_000);
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});
afterAll(async () => {
  await service.close();
});

const startWorker = async (user?: string): Promise<void> => {
  const queuert = await createQueuert({
    stateAdapter: await openAs(user),
    jobTypeDefinitions: defineUnionJobTypes<{ task: { entry: true; input: null; output: null } }>(),
    log: () => undefined,
  });
  try {
    const worker = queuert.createWorker().implementJobType({
      typeName: "task",
      process: async ({ complete }) => complete(null),
    });
    await worker.start();
  } finally {
    await queuert.close();
  }
};

it.each([
  ["a wrong password", "owner", "wrong"],
  ["an unknown user", "nobody", "secret"],
])("%s is named, with the remedy and without the user", async (_title, user, password) => {
  const error = (await openAs(user, password).catch((reason: unknown) => reason)) as Error;
  expect(error).toMatchObject({ code: "QUEUERT_MONGODB_CREDENTIALS" });
  expect(error.message).toContain("authSource");
  expect(error.message).not.toContain(user);
});

it("a wrong password of notifications is named", async () => {
  const client = connect("owner", "wrong");
  const adapter = await createMongoNotifyAdapter({
    provider: { database: client.db(databaseName) },
    onError: () => undefined,
  });
  const notified = adapter.notifyJobSequenceCompleted(["a"]);
  await expect(notified).rejects.toMatchObject({ code: "QUEUERT_MONGODB_CREDENTIALS" });
  await adapter.close();
});

it.each([
  ["a user that may only read", "reader"],
  ["a user without any right", "stranger"],
  ["a connection without a user", undefined],
])("%s starts no worker and no job", async (_title, user) => {
  const code = "QUEUERT_MONGODB_PERMISSION_DENIED";
  // No job is due: without a check of its own the acquisition of a reader would succeed.
  await expect(startWorker(user)).rejects.toMatchObject({ code });
  const created = (await openAs(user)).createJobs({ jobs: jobs(1) });
  await expect(created).rejects.toMatchObject({ code, collection: expect.any(String) });
});

it("a user with the role that the error names starts a worker", async () => {
  await startWorker("owner");
  const owner = await openAs("owner");
  expect(await owner.createJobs({ jobs: jobs(1) })).toHaveLength(1);
});
