// The time of a notification from one client to another: over the adapter's capped collection, and over a
// change stream. In turns, on one server, idle and beside writes.
// `tsx bench/notify.ts`; QUEUERT_TEST_MONGODB_URL names another server.
import { setTimeout as sleep } from "node:timers/promises";
import { createMongoNotifyAdapter } from "@queuert/mongodb";
import { startMongodb } from "@queuert/test-services";
import { MongoClient } from "mongodb";
import { quantile } from "./measure.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const perRound = 100;
const gapMs = 10;

const service = await startMongodb({ durability: "default" });
const { name, drop } = await service.createDatabase();
const [here, there] = [new MongoClient(service.url), new MongoClient(service.url)];

interface Transport {
  publish(): Promise<void>;
  close(): Promise<void>;
}

type Open = (onMessage: () => void) => Promise<Transport>;

const openCapped: Open = async (onMessage) => {
  const sender = await createMongoNotifyAdapter({ provider: { database: here.db(name) } });
  const hearer = await createMongoNotifyAdapter({ provider: { database: there.db(name) } });
  const stop = await hearer.listenJobScheduled({ typeNames: ["task"], onJobScheduled: onMessage });
  return {
    publish: () => sender.notifyJobScheduled([{ typeName: "task", count: 1 }]),
    close: async () => {
      await stop();
      await Promise.all([sender.close(), hearer.close()]);
    },
  };
};

const openChangeStream: Open = async (onMessage) => {
  const channel = "queuert_sched";
  const stream = there
    .db(name)
    .collection("stream")
    .watch([{ $match: { operationType: "insert" } }], { maxAwaitTimeMS: 5_000 });
  stream.on("change", onMessage);
  // Opened by its first question, which takes a moment.
  await sleep(500);
  const collection = here.db(name).collection("stream", { writeConcern: { w: 1 } });
  return {
    publish: async () => {
      await collection.insertOne({ channel, text: "task" });
    },
    close: () => stream.close(),
  };
};

const measure = async (open: Open): Promise<number[]> => {
  let heard: () => void = () => undefined;
  const transport = await open(() => heard());
  const latencies: number[] = [];
  for (let message = 0; message < perRound + 10; message++) {
    const startedAt = performance.now();
    const arrived = new Promise<void>((resolve) => (heard = resolve));
    await transport.publish();
    await arrived;
    // The first ones warm up.
    if (message >= 10) latencies.push(performance.now() - startedAt);
    await sleep(gapMs);
  }
  await transport.close();
  return latencies;
};

/** Ten writers with majority, until told to stop; answers how many a second. */
const writeBeside = (): (() => Promise<number>) => {
  let isOver = false;
  const over = (): boolean => isOver;
  let count = 0;
  const startedAt = performance.now();
  const writers = Array.from({ length: 10 }, async () => {
    while (!over()) {
      await here
        .db(name)
        .collection("noise")
        .insertOne({ text: "x".repeat(200) });
      count++;
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(writers);
    return (count * 1_000) / (performance.now() - startedAt);
  };
};

for (const busy of [false, true]) {
  const all = { capped: [] as number[], stream: [] as number[] };
  const stop = busy ? writeBeside() : async () => 0;
  for (let round = 0; round < rounds; round++) {
    all.capped.push(...(await measure(openCapped)));
    all.stream.push(...(await measure(openChangeStream)));
  }
  const writes = await stop();
  for (const [key, values] of Object.entries(all)) {
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    console.log(
      `${busy ? `beside ${writes.toFixed(0)} writes/s` : "idle"}  ${key.padEnd(7)} ` +
        `p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  n ${values.length}`,
    );
  }
}

await drop();
await Promise.all([here.close(), there.close()]);
await service.close();
