// Faults of a cluster under load: nothing is lost, and nothing is done twice.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startMongodb, type MongodbService } from "@queuert/test-services";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkload, type Phase, phases, type Workload } from "./workload.ts";
import { proxied } from "./urls.ts";

const timeoutMs = 120_000;
let service: MongodbService;
let databaseCount = 0;
const newName = (): string => `faults_${++databaseCount}`;

beforeAll(async () => {
  service = await startMongodb({ exclusive: true, memberCount: 3 });
  // By default a server keeps the transaction of a killed client for a minute.
  for (const { port } of service.members) {
    const member = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
    await member.db("admin").command({ setParameter: 1, transactionLifetimeLimitSeconds: 4 });
    await member.close();
  }
}, timeoutMs);
afterAll(async () => {
  await service.close();
});

interface Run {
  readonly workload: Workload;
  /** Goes on until it is stopped. Returns the orders that were acknowledged. */
  readonly stop: () => Promise<number>;
}

const start = async (url: string, name: string): Promise<Run> => {
  const workload = await openWorkload(url, name);
  let isOver = false;
  const over = (): boolean => isOver;
  const producers = [workload.produce(over), workload.produce(over)];
  const workers = ["a", "b", "c"].map((id) => workload.work(id, over));
  const all = Promise.all([Promise.all(producers), Promise.all(workers)]);
  // Reported by `stop`. Until then it must not be an unhandled rejection.
  all.catch(() => undefined);
  return {
    workload,
    stop: async () => {
      isOver = true;
      const [counts] = await all;
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
};

const drain = async (workload: Workload): Promise<void> => {
  let left = Infinity;
  let deadline = 0;
  let isOver = false;
  const workers = ["x", "y"].map((id) => workload.work(id, () => isOver));
  try {
    for (;;) {
      const now = await workload.countLeft();
      if (now === 0) break;
      // A busy machine has the time that it needs, as long as there is progress.
      if (now < left) deadline = Date.now() + 30_000;
      left = Math.min(now, left);
      if (Date.now() > deadline) throw new Error("Jobs are left that nobody can finish");
      await sleep(100);
    }
  } finally {
    isOver = true;
    await Promise.all(workers);
  }
};

const expectSound = async ({ workload, stop }: Run): Promise<void> => {
  const acknowledged = await stop();
  await drain(workload);
  expect(await workload.findings()).toEqual([]);
  expect(acknowledged).toBeGreaterThan(5);
  await workload.close();
};

describe("faults", () => {
  it("a primary that steps down under load, three times", { timeout: timeoutMs }, async () => {
    const run = await start(service.url, newName());
    for (let round = 0; round < 3; round++) {
      await sleep(800);
      await service.stepDown();
    }
    await sleep(500);
    await expectSound(run);
  });

  it("connections that are reset under load", { timeout: timeoutMs }, async () => {
    const primary = await primaryUrl();
    const { proxy, url } = await proxied(primary);
    const run = await start(url, newName());
    for (let round = 0; round < 12; round++) {
      await sleep(150);
      proxy.cutAll();
    }
    await expectSound(run);
    await proxy.close();
  });

  const commands = [
    ...["insert", "update", "find", "aggregate", "findAndModify"],
    ...["commitTransaction", "abortTransaction"],
  ];
  const faults = [
    { name: "an error of a failover", fields: { errorCode: 11_602 } },
    { name: "a lost connection", fields: { closeConnection: true } },
    // Stored by the primary, whose reply then reports that it is shutting down.
    {
      name: "a write concern that is not met",
      fields: { writeConcernError: { code: 91, errmsg: "shutting down" } },
      only: ["insert", "update", "findAndModify", "commitTransaction"],
    },
    {
      name: "a write conflict",
      fields: { errorCode: 112, errorLabels: ["TransientTransactionError"] },
      only: ["commitTransaction"],
    },
  ];
  for (const { name, fields, only } of faults) {
    it(`each command fails with ${name}, at random`, { timeout: timeoutMs }, async () => {
      const url = await primaryUrl();
      const admin = new MongoClient(url);
      const failCommands = commands.filter(
        (command) => only === undefined || only.includes(command),
      );
      const run = await start(`${url}&appName=faulty`, newName());
      for (const command of failCommands) {
        await admin.db("admin").command({
          configureFailPoint: "failCommand",
          mode: { activationProbability: 0.1 },
          data: { failCommands: [command], appName: "faulty", ...fields },
        });
        await sleep(600);
      }
      await admin.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
      await expectSound(run);
      await admin.close();
    });
  }

  it("write conflicts at random", { timeout: timeoutMs }, async () => {
    const url = await primaryUrl();
    const admin = new MongoClient(url);
    const run = await start(url, newName());
    await admin.db("admin").command({
      configureFailPoint: "WTWriteConflictException",
      mode: { activationProbability: 0.005 },
    });
    await sleep(2_000);
    await admin
      .db("admin")
      .command({ configureFailPoint: "WTWriteConflictException", mode: "off" });
    await expectSound(run);
    await admin.close();
  });

  it("worker processes killed at any moment", { timeout: timeoutMs }, async () => {
    await expectSoundAfterKills(async (name) => {
      for (let round = 0; round < 5; round++) {
        const child = await startWorker(name);
        await sleep(20 + Math.random() * 300);
        child.kill("SIGKILL");
      }
    });
  });

  it(
    `worker processes killed when a job is ${phases.join(", ")}`,
    { timeout: timeoutMs },
    async () => {
      await expectSoundAfterKills(async (name) => {
        for (const phase of phases) (await startWorker(name, phase)).kill("SIGKILL");
      });
    },
  );
});

const expectSoundAfterKills = async (kill: (name: string) => Promise<void>): Promise<void> => {
  const name = newName();
  const workload = await openWorkload(service.url, name);
  let isOver = false;
  const over = (): boolean => isOver;
  // One worker stays alive: otherwise the started jobs pile up.
  const all = Promise.all([workload.produce(over), workload.work("survivor", over)]);
  try {
    await kill(name);
  } finally {
    isOver = true;
  }
  await expectSound({ workload, stop: async () => (await all)[0] });
};

/** Resolves when it acquires jobs, or with a phase, when it has reached the phase. */
const startWorker = async (name: string, phase?: Phase): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    [
      ...["--import", "tsx", "--conditions=@queuert/source"],
      ...[script, service.url, name, ...(phase === undefined ? [] : [phase])],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", (code) => reject(new Error(`The worker has ended by itself: ${code}`)));
  });
  return child;
};

const primaryUrl = async (): Promise<string> => {
  const client = new MongoClient(service.url);
  const { primary } = (await client.db("admin").command({ hello: 1 })) as unknown as {
    primary: string;
  };
  await client.close();
  return `mongodb://${primary}/?directConnection=true&serverSelectionTimeoutMS=5000`;
};
