// Faults below an ORM: killed processes, and a file that another process holds. No job is lost and no job is done twice.
import { deferred } from "queuert/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFile } from "../open-store.ts";
import { spawnProcess } from "../processes/spawn.ts";
import { orms } from "./clients.ts";
import { openSteps, workOnSteps } from "./step-worker.ts";

type Steps = Awaited<ReturnType<typeof openSteps>>;

const start = async ({ queuert }: Steps, count: number): Promise<void> => {
  const sequences = Array.from({ length: count }, (_, index) => ({
    typeName: "step" as const,
    input: { key: `k${index}` },
  }));
  await queuert.startJobSequences({ autocommit: true, sequences });
};

const read = ({ orm }: Steps, sql: string): Promise<unknown> =>
  orm.stateProvider.read((connection) => connection.prepare(sql).get());

const counts = (steps: Steps): Promise<unknown> =>
  read(
    steps,
    `SELECT (SELECT count(*) FROM queuert_job WHERE status = 'completed'),
      (SELECT count(*) FROM done), (SELECT count(DISTINCT key) FROM done)`,
  );

const expectEachOnce = (steps: Steps, count: number): Promise<void> =>
  vi.waitFor(async () => expect(await counts(steps)).toEqual([count, count, count]), {
    timeout: 50_000,
    interval: 50,
  });

describe.each(Object.keys(orms))("%s", (name) => {
  const open = async (filename: string, busyTimeoutMs?: number): Promise<Steps> => {
    const steps = await openSteps(name, filename, busyTimeoutMs);
    onTestFinished(() => steps.close());
    return steps;
  };

  it("processes killed in their transactions lose no job and do none twice", async () => {
    const filename = temporaryFile();
    const steps = await open(filename);
    await start(steps, 200);
    for (let kill = 0; kill < 3; kill++) {
      const worker = spawnProcess("../orms/step-worker.ts", name, filename);
      await worker.ready;
      const [before] = (await counts(steps)) as [number];
      // In the middle of its work.
      await vi.waitFor(
        async () => expect(((await counts(steps)) as [number])[0]).toBeGreaterThan(before),
        { timeout: 20_000, interval: 5 },
      );
      await worker.kill();
    }
    const worker = await workOnSteps(steps);
    await expectEachOnce(steps, 200);
    await worker.stop();
    const [attempt] = (await read(steps, "SELECT max(attempt) FROM queuert_job")) as [number];
    // Otherwise no process was killed in a transaction.
    expect(attempt).toBeGreaterThan(1);
  }, 90_000);

  it("a file that another process holds for longer than `busyTimeoutMs` costs time only", async () => {
    const filename = temporaryFile();
    const steps = await open(filename, 50);
    // Of the same library: within one process, the locks of two copies of SQLite do not see each other.
    const other = await open(filename);
    const held = deferred<void>();
    const ended = deferred<void>();
    const worker = await workOnSteps(steps);
    await start(steps, 20);
    const holding = other.orm.stateProvider.runInTransaction(async () => {
      held.resolve();
      await ended.promise;
    });
    await held.promise;
    await expect(start(steps, 1)).rejects.toMatchObject({ code: "QUEUERT_SQLITE_BUSY" });
    ended.resolve();
    await holding;
    await expectEachOnce(steps, 20);
    await worker.stop();
  }, 60_000);
});
