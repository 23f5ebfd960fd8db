// The layout of PostgreSQL beside today's, for decision 0018. CPU of the server and of this process in microseconds a job, in turns
// within one run: `tsx --conditions=@queuert/source packages/mongodb/bench/layouts/main.ts [rounds]`
import { readFileSync } from "node:fs";
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { startMongodb } from "@queuert/test-services";
import { MongoClient, type MongoError } from "mongodb";
import { median } from "../measure.ts";
import { type HeldJob, type Layout, type OpenLayout, transact } from "./layout.ts";
import { openReadyAndLease } from "./ready-and-lease.ts";
import { openToday } from "./today.ts";

const rounds = Number(process.argv[2] ?? 5);
const jobCount = 10_000;
const singleCount = 1_000;
const batchSize = 100;

const layouts: Readonly<Record<string, OpenLayout>> = {
  today: openToday,
  "ready and lease": openReadyAndLease,
};

const service = await startMongodb({ exclusive: true, durability: "default" });
const client = new MongoClient(service.url);
const { pid } = await client.db("admin").command({ serverStatus: 1 });

/** User and system time of the server so far. The kernel counts it in steps of 10 ms. */
const serverCpuUs = (): number => {
  const stat = readFileSync(`/proc/${Number(pid)}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
};

type Figures = Record<string, number>;

const measure = async (
  figures: Figures,
  [name, count]: readonly [string, number],
  run: () => Promise<void>,
): Promise<void> => {
  const [server, own] = [serverCpuUs(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(own);
  figures[`${name}, server`] = (serverCpuUs() - server) / count;
  figures[`${name}, client`] = (user + system) / count;
};

const acquireAll = async (layout: Layout, count: number): Promise<(readonly HeldJob[])[]> => {
  const held: (readonly HeldJob[])[] = [];
  for (let done = 0; done < count; done += batchSize) held.push(await layout.acquire(batchSize));
  return held;
};

const measureBatches = async (layout: Layout, figures: Figures): Promise<void> => {
  let held: (readonly HeldJob[])[] = [];
  await measure(figures, ["start by 1,000", jobCount], async () => {
    for (let done = 0; done < jobCount; done += 1_000) await layout.start(1_000);
  });
  await measure(figures, ["acquire by 100", jobCount], async () => {
    held = await acquireAll(layout, jobCount);
  });
  await measure(figures, ["complete by 50", jobCount], async () => {
    for (const jobs of held) {
      await layout.complete(jobs.slice(0, batchSize / 2));
      await layout.complete(jobs.slice(batchSize / 2));
    }
  });
};

/** Callbacks: a row of the user and the completion in one transaction, ten at a time. An aborted one runs again. */
const measureCallbacks = async (
  layout: Layout,
  figures: Figures,
  databaseName: string,
): Promise<void> => {
  const rows = client.db(databaseName).collection("user_rows");
  await client.db(databaseName).createCollection("user_rows");
  for (let done = 0; done < singleCount; done += 500) await layout.start(500);
  const jobs = (await acquireAll(layout, singleCount)).flat();
  let aborted = 0;
  const completeOne = async (job: HeldJob): Promise<void> => {
    try {
      await transact(client, async (session) => {
        await rows.insertOne({ text: "done" }, { session });
        await layout.completeOne(session, job);
      });
    } catch (error) {
      // The server aborts the later one of two transactions that write the same document.
      if (!(error as MongoError).hasErrorLabel?.("TransientTransactionError")) throw error;
      aborted++;
      await completeOne(job);
    }
  };
  const worker = async (): Promise<void> => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await completeOne(job);
  };
  await measure(figures, ["complete one with a row", singleCount], async () => {
    await Promise.all(Array.from({ length: 10 }, worker));
  });
  figures["aborted transactions a job"] = aborted / singleCount;
};

const measureLayout = async (openLayout: OpenLayout): Promise<Figures> => {
  const { name, drop } = await service.createDatabase();
  try {
    const stateProvider = createMongodbProvider({ client, databaseName: name });
    await (await createMongoStateAdapter({ stateProvider })).migrateToLatest();
    const layout = openLayout(client, name);
    await layout.prepare();
    const figures: Figures = {};
    await measureBatches(layout, figures);
    await measureCallbacks(layout, figures, name);
    const done = await client.db(name).collection("queuert_jobs").countDocuments({
      status: "completed",
    });
    if (done !== jobCount + singleCount) throw new Error(`${done} jobs are completed`);
    return figures;
  } finally {
    await drop();
  }
};

const results = new Map<string, Figures[]>();
for (let round = 0; round <= rounds; round++) {
  for (const [name, openLayout] of Object.entries(layouts).toSorted(() => Math.random() - 0.5)) {
    const figures = await measureLayout(openLayout);
    // The first round warms up.
    if (round > 0) results.set(name, [...(results.get(name) ?? []), figures]);
  }
}
await client.close();
await service.close();
for (const name of Object.keys(results.get("today")?.[0] ?? {})) {
  const cells = Object.keys(layouts).map((layout) => {
    const values = results.get(layout)?.map((figures) => figures[name] ?? 0) ?? [];
    return `${layout} ${median(values).toFixed(2)} (least ${Math.min(...values).toFixed(2)})`;
  });
  console.log(`${name.padEnd(34)} ${cells.join("   ")}`);
}
