// A worker survives lost connections through any driver. Each test starts a worker and ends its connections while jobs are
// started.
import { setTimeout as sleep } from "node:timers/promises";
import { it } from "vitest";
import { terminateConnections } from "../fixtures.ts";
import type { FaultRig } from "./fault-rig.ts";

/** More than the jobs have, so that the report counts those that are not done. */
const testMs = 150_000;

export const surviveUnderLoad = (rig: FaultRig, startWorker: () => Promise<void>): void => {
  it(
    "survives restarts of the server under load",
    async () => {
      await startWorker();
      const started = rig.startMany(300);
      for (let round = 0; round < 3; round += 1) {
        await sleep(150);
        await rig.server.restart();
      }
      await started;
      await rig.expectEachOnce(300);
    },
    testMs,
  );

  it(
    "survives a crash of the server under load",
    async () => {
      await startWorker();
      const started = rig.startMany(200);
      await sleep(150);
      await rig.server.kill();
      await rig.server.start();
      await started;
      await rig.expectEachOnce(200);
    },
    testMs,
  );

  it(
    "survives pg_terminate_backend on every kind of connection, again and again",
    async () => {
      await startWorker();
      const started = rig.startMany(300);
      for (let round = 0; round < 10; round += 1) {
        await sleep(60);
        await terminateConnections(rig.url);
      }
      await started;
      await rig.expectEachOnce(300);
    },
    testMs,
  );
};
