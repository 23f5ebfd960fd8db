// Commits that fail, that never arrive, whose answer is lost, and workers that die in each phase of theirs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type CommitFate, startCommitProxy } from "../proxies/commit-proxy.ts";
import { useFaultRig } from "./fault-rig.ts";
import { openClient } from "./steps.ts";

const rig = useFaultRig();

it("a commit that fails counts as an attempt, with its error and a delay", async () => {
  await rig.client.pool.query(
    "CREATE TABLE deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)",
  );
  await rig.startWorker();
  await rig.startMany(3, "bad commit");
  await rig.expectEachOnce(3);
  const { rows } = await rig.client.pool.query(
    "SELECT attempt, last_attempt_error LIKE '%deferred_id_key%' AS named FROM queuert.job",
  );
  expect(rows).toEqual(Array.from({ length: 3 }, () => ({ attempt: 3, named: true })));
}, 60_000);

it.each<[CommitFate, number, boolean]>([
  ["answer is lost", 1, false],
  ["never arrives", 2, false],
  ["answer is lost", 1, true],
  ["never arrives", 2, true],
])(
  "a connection cut at COMMIT (%s): looked up, and run again only if it was not stored (attempt %i, pipelining %s)",
  async (...row) => {
    const [fate, attempt, pipeline] = row;
    const proxy = await startCommitProxy(rig.url);
    rig.endings.push(() => proxy.close());
    const behind = await openClient(proxy.url, { pipeline });
    rig.endings.push(() => behind.close());
    let left = 5;
    proxy.decide = () => (left-- > 0 ? fate : "passes");
    await rig.startMany(5);
    await rig.startWorker(behind);
    await rig.expectEachOnce(5);
    expect(left).toBeLessThanOrEqual(0);
    const { rows } = await rig.client.pool.query("SELECT DISTINCT attempt FROM queuert.job");
    expect(rows).toEqual([{ attempt }]);
  },
  60_000,
);

it("a start whose COMMIT's answer was lost is known by its key", async () => {
  const proxy = await startCommitProxy(rig.url);
  rig.endings.push(() => proxy.close());
  const { queuert, ...behind } = await openClient(proxy.url);
  rig.endings.push(() => behind.close());
  const start = () =>
    queuert.transaction((context) =>
      queuert.startJobSequence({
        ...context,
        typeName: "step",
        input: { key: "k0", mode: "plain" },
        deduplication: { key: "k0", strategy: "all" },
      }),
    );
  proxy.decide = () => "answer is lost";
  await expect(start()).rejects.toThrow();
  proxy.decide = () => "passes";
  expect(await start()).toMatchObject({ deduplicated: true });
  await rig.startWorker();
  await rig.expectEachOnce(1);
}, 60_000);

const runWorkerProcess = async (): Promise<void> => {
  const file = fileURLToPath(new URL("step-worker.ts", import.meta.url));
  const args = ["--conditions=@queuert/source", "--import", "tsx", file, rig.url];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
};

it.each(["die before", "die within", "die committing", "by value, die"])(
  "a worker killed (%s its completion is stored) loses and doubles nothing",
  async (mode) => {
    const isByValue = mode.startsWith("by value");
    await rig.startMany(20, mode);
    await runWorkerProcess();
    const { rows } = await rig.client.pool.query(
      "SELECT FROM queuert.job WHERE status = 'completed'",
    );
    expect(rows.length).toBeLessThan(20);
    // In this process the second attempt; those that the dead worker never began are its first.
    await rig.client.pool.query("UPDATE queuert.job SET input = replace(input, $1, $2)", [
      mode,
      isByValue ? "by value" : "plain",
    ]);
    await rig.startWorker();
    await rig.expectEachOnce(20, isByValue ? 0 : 1);
  },
  60_000,
);
