import { expect } from "vitest";
import { deadlineMs, sleep } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

/** Long enough for a job that must not begin. */
const quietMs = 150;
const farMs = 3_600_000;
// With a look each second, the last of so many jobs would end behind the deadline of `until`.
const jobsPastTimeout = deadlineMs / 1_000 + 5;

export const limitsOfTypesSuite: BehaviourSuite = defineBehaviourSuite(
  "limits of types",
  (rule) => {
    rule(
      "workers of two processes stay within a concurrency, and use all of it",
      async ({ open, openSecond, gate }) => {
        const client = await open();
        const second = await openSecond();
        await client.queuert.setLimits({ limits: [{ name: "task", concurrency: 2 }] });
        const held = gate();
        let running = 0;
        let most = 0;
        const run = async (): Promise<void> => {
          running += 1;
          most = Math.max(most, running);
          await held.pass();
          running -= 1;
        };
        const started = [];
        for (let index = 0; index < 8; index++) started.push(await client.start("task"));
        for (const one of [client, second]) {
          await one.work(
            { task: async ({ complete }) => run().then(() => complete(null)) },
            { concurrency: 5 },
          );
        }
        await held.arrived();
        await sleep(quietMs);
        expect(running).toBe(2);
        expect(await second.queuert.getLimits()).toMatchObject([
          { name: "task", concurrency: 2, rate: null, running: 2, isDeclared: false },
        ]);
        held.open();
        for (const job of started) await client.until(job);
        expect(most).toBe(2);
      },
    );

    rule("the end of an attempt lets the next job start without a poll", async ({ open }) => {
      const client = await open();
      await client.queuert.setLimits({ limits: [{ name: "task", concurrency: 1 }] });
      const started = [];
      for (let index = 0; index < jobsPastTimeout; index++)
        started.push(await client.start("task"));
      await client.work(
        { task: async ({ complete }) => complete(null) },
        { pollIntervalMs: farMs, concurrency: 5 },
      );
      await client.until(started.at(-1) ?? { id: "" });
    });

    rule("a raised limit wakes a worker that does not poll", async ({ open }) => {
      const client = await open();
      await client.queuert.setLimits({ limits: [{ name: "task", concurrency: 0 }] });
      const job = await client.start("task");
      await client.work(
        { task: async ({ complete }) => complete(null) },
        { pollIntervalMs: farMs, waitForStore: false },
      );
      await sleep(quietMs);
      expect((await client.job(job)).status).toBe("pending");
      await client.queuert.setLimits({ limits: [{ name: "task", concurrency: 5 }] });
      await client.until(job);
    });

    rule("a rate spreads the starts, and a worker waits for the next token", async ({ open }) => {
      const client = await open();
      const rate = { count: 10, perMs: 1_000, burst: 1 };
      await client.queuert.setLimits({ limits: [{ name: "task", rate }] });
      const started = [];
      for (let index = 0; index < 6; index++) started.push(await client.start("task"));
      await client.work(
        { task: async ({ complete }) => complete(null) },
        { pollIntervalMs: farMs, concurrency: 5 },
      );
      for (const job of started) await client.until(job);
      const times = [];
      for (const job of started) times.push((await client.job(job)).lastAttemptAt?.getTime() ?? 0);
      times.sort((left, right) => left - right);
      for (let index = 1; index < times.length; index++) {
        // Times are cut to milliseconds.
        expect((times[index] ?? 0) - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(99);
      }
    });

    rule("bad limits are refused, and nothing is written", async ({ open }) => {
      const client = await open();
      const good = { name: "task", concurrency: 1 };
      for (const [limit, code] of [
        [{ name: "task", concurrency: -1 }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", concurrency: 1.5 }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", concurrency: 1_000_001 }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", rate: 5 }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", rate: { count: 0, perMs: 1 } }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", rate: { count: 1, perMs: 0 } }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", rate: { count: 1, perMs: Infinity } }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", rate: { count: 2, perMs: 1, burst: 3 } }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", rate: { count: 5_000, perMs: 1 } }, "QUEUERT_INVALID_LIMIT"],
        [{ name: "task", conurrency: 1 }, "QUEUERT_INVALID_OPTION"],
        [{ name: "", concurrency: 1 }, "QUEUERT_INVALID_OPTION"],
        [null, "QUEUERT_INVALID_OPTION"],
      ] as const) {
        const given = { limits: [good, limit] } as never;
        expect(await rejection(client.queuert.setLimits(given))).toMatchObject({ code });
      }
      expect(await rejection(client.queuert.setLimits({} as never))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
      expect(await client.queuert.getLimits()).toEqual([]);
    });
  },
);
