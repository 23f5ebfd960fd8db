// The whole notify contract over a capped collection, with connections that break.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import type { NotifyAdapter } from "queuert";
import {
  extendWithCommon,
  extendWithNotify,
  notifyAdapterTestSuite,
  type NotifyAdapterHarness,
} from "queuert/testing";
import { describe, expect, it, vi } from "vitest";
import { createMongoNotifyAdapter, MongoNotifyCollectionError } from "../src/index.ts";
import { openNotifyMongodb } from "../src/testing.ts";
import { proxied } from "./urls.ts";

const wireNames = {
  jobScheduled: "queuert_sched",
  sequenceCompleted: "queuert_seqc",
  ownershipLost: "queuert_owls",
} as const;

const openBehindProxy = async (): Promise<NotifyAdapterHarness> => {
  const { url, proxy } = await proxied(providedMongodb().url);
  const { name } = await providedMongodb().createDatabase();
  const harness = await openNotifyMongodb({ url, databaseName: name });
  const raw = new MongoClient(providedMongodb().url);
  const further: { adapter: NotifyAdapter; client: MongoClient }[] = [];
  return {
    ...harness,
    network: {
      openAdapter: async () => {
        const client = new MongoClient(url);
        const adapter = await createMongoNotifyAdapter({ provider: { database: client.db(name) } });
        further.push({ adapter, client });
        return adapter;
      },
      breakConnections: () => Promise.resolve(proxy.cutAll()),
      publishRaw: async (topic, text) => {
        const notifications = raw.db(name).collection("queuert_notifications");
        await notifications.insertOne({ channel: wireNames[topic], text });
      },
    },
    close: async () => {
      await Promise.all(further.map(({ adapter }) => adapter.close()));
      await harness.close();
      await Promise.all([raw, ...further.map(({ client }) => client)].map((one) => one.close()));
      await proxy.close();
    },
  };
};

describe("notify adapter", () => {
  const extended = extendWithNotify(extendWithCommon(it), openBehindProxy);
  notifyAdapterTestSuite({ it: extended, hints: false, network: true });
});

describe("the collection of notifications", () => {
  it("is refused if it is not capped", async () => {
    const { url, drop, name } = await providedMongodb().createDatabase();
    const client = new MongoClient(url);
    try {
      const database = client.db(name);
      await database.collection("queuert_notifications").insertOne({ channel: "x", text: "y" });
      const adapter = await createMongoNotifyAdapter({ provider: { database } });
      const published = adapter.notifyJobSequenceCompleted(["a"]);
      await expect(published).rejects.toBeInstanceOf(MongoNotifyCollectionError);
      await adapter.close();
    } finally {
      await client.close();
      await drop();
    }
  });

  it("is created again after it was dropped, also by a publisher's insert", async () => {
    const { url, drop, name } = await providedMongodb().createDatabase();
    const clients = [new MongoClient(url), new MongoClient(url)] as const;
    const [listening, publishing] = await Promise.all(
      clients.map((client) =>
        createMongoNotifyAdapter({ provider: { database: client.db(name) } }),
      ),
    );
    const heard: string[] = [];
    const stop = await listening?.listenJobSequenceCompleted({
      sequenceIds: ["a", "b"],
      onSequenceCompleted: (id) => heard.push(id),
    });
    const collection = clients[0].db(name).collection("queuert_notifications");
    await publishing?.notifyJobSequenceCompleted(["a"]);
    await vi.waitFor(() => expect(heard).toEqual(["a"]));
    for (const round of [1, 2, 3]) {
      await collection.drop();
      await publishing?.notifyJobSequenceCompleted(["c"]);
      await vi.waitFor(async () => {
        await publishing?.notifyJobSequenceCompleted(["b"]);
        expect(heard.length).toBeGreaterThan(round);
        // A notification from before the drop may still be under way, so it alone proves nothing.
        expect(await collection.options()).toMatchObject({ capped: true });
      }, 8_000);
      heard.splice(round + 1);
    }
    // No listener has repaired it, and this one has never seen it capped.
    await stop?.();
    await listening?.close();
    await collection.drop();
    await publishing?.notifyJobSequenceCompleted(["a"]);
    const late = await createMongoNotifyAdapter({ provider: { database: clients[0].db(name) } });
    await late.listenJobSequenceCompleted({ sequenceIds: ["a"], onSequenceCompleted: () => {} });
    expect(await collection.options()).toMatchObject({ capped: true });
    await Promise.all([late.close(), publishing?.close()]);
    await Promise.all(clients.map((client) => client.close()));
    await drop();
  });

  it.each([
    ["maxPoolSize: 1", { maxPoolSize: 1 }, "QUEUERT_INVALID_OPTION"],
    [
      "a strict Stable API",
      { serverApi: { version: "1", strict: true } },
      "QUEUERT_MONGODB_STRICT_API",
    ],
  ] as const)("cannot be listened to with %s, and that is said", async (_, options, code) => {
    const { url, drop, name } = await providedMongodb().createDatabase();
    const client = new MongoClient(url, options);
    const adapter = await createMongoNotifyAdapter({ provider: { database: client.db(name) } });
    const listening = adapter.listenJobSequenceCompleted({
      ...{ sequenceIds: ["a"], onSequenceCompleted: () => {} },
    });
    await expect(listening).rejects.toMatchObject({ code });
    await adapter.close();
    await client.close();
    await drop();
  });

  it("is created once by many processes at the same time, and keeps no more than its size", async () => {
    const { url, drop, name } = await providedMongodb().createDatabase();
    const clients = Array.from({ length: 4 }, () => new MongoClient(url));
    try {
      const adapters = await Promise.all(
        clients.map((client) =>
          createMongoNotifyAdapter({
            provider: { database: client.db(name) },
            sizeBytes: 65_536,
          }),
        ),
      );
      const ids = Array.from({ length: 400 }, (_, index) => `${index}`.padStart(64, "0"));
      await Promise.all(
        adapters.map(async (adapter) => {
          for (let round = 0; round < 5; round++) await adapter.notifyJobSequenceCompleted(ids);
        }),
      );
      const stats = await clients[0]?.db(name).command({ collStats: "queuert_notifications" });
      const { capped, size } = stats as unknown as { capped: boolean; size: number };
      expect(capped).toBe(true);
      expect(size).toBeLessThanOrEqual(65_536);
      await Promise.all(adapters.map((adapter) => adapter.close()));
    } finally {
      await Promise.all(clients.map((client) => client.close()));
      await drop();
    }
  });
});
