import { expect } from "vitest";
import { createStateSteps } from "../steps.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

const key = "the-key";

export const deduplicatingSuite: BehaviourSuite = defineBehaviourSuite("deduplicating", (rule) => {
  rule("an unfinished sequence stands for its key", async ({ open }) => {
    const client = await open();
    const first = await client.start("task", { input: 1, deduplication: { key } });
    const second = await client.start("task", { input: 2, deduplication: { key } });
    expect(first).toMatchObject({ deduplicated: false });
    expect(second).toMatchObject({ id: first.id, deduplicated: true, input: 1 });
    expect((await client.queuert.listJobs()).items).toHaveLength(1);
    expect(await client.job(first)).toMatchObject({ deduplicationKey: key });
  });

  rule("keys are per type, and starts without a key are never deduplicated", async ({ open }) => {
    const client = await open();
    const started = [
      await client.start("task", { deduplication: { key } }),
      await client.start("other", { deduplication: { key } }),
      await client.start("task", { deduplication: { key: `${key}-2` } }),
      await client.start("task"),
      await client.start("task"),
    ];
    expect(started.map(({ deduplicated }) => deduplicated)).toEqual(started.map(() => false));
    expect(new Set(started.map(({ id }) => id)).size).toBe(5);
  });

  rule("a sequence that has gone on is answered as it is now", async ({ open }) => {
    const client = await open();
    const first = await client.start("first", { deduplication: { key } });
    await client.work({
      first: async ({ complete }) =>
        complete.continueWith({ typeName: "next", input: null, schedule: { afterMs: 3_600_000 } }),
    });
    await client.untilJob(first, "completed");
    const again = await client.start("first", { deduplication: { key } });
    expect(again).toMatchObject({ id: first.id, deduplicated: true, status: "pending" });
    expect(again.currentJobId).not.toBe(first.id);
  });

  rule("a recurring job starts itself again while it runs", async ({ open }) => {
    const client = await open();
    const first = await client.start("task", { input: 1, deduplication: { key } });
    const again: unknown[] = [];
    const worker = await client.work({
      task: async ({ job, complete }) =>
        complete(async (context) => {
          const start = (excludeSequenceIds: readonly string[]) =>
            client.startIn(context, "task", {
              input: 2,
              schedule: { afterMs: 3_600_000 },
              deduplication: { key, excludeSequenceIds },
            });
          again.push(
            (await start([])).id,
            await start([job.sequenceId]),
            await start([job.sequenceId]),
          );
          return null;
        }),
    });
    await client.until(first);
    await worker.stop();
    const [own, next, same] = again as [string, { readonly id: string }, { readonly id: string }];
    expect(own).toBe(first.id);
    expect(next).toMatchObject({ deduplicated: false, input: 2 });
    expect(same).toMatchObject({ id: next.id, deduplicated: true });
    for (const excludeSequenceIds of ["x", [5], [""]]) {
      const wrong = client.start("task", { deduplication: { key, excludeSequenceIds } as never });
      expect(await rejection(wrong)).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: "deduplication.excludeSequenceIds",
      });
    }
  });

  rule('a completed sequence holds its key under "all" only', async ({ open }) => {
    const client = await open();
    const first = await client.start("task", { deduplication: { key } });
    const worker = await client.work({ task: async ({ complete }) => complete("out") });
    await client.until(first);
    await worker.stop();
    const all = await client.start("task", { deduplication: { key, strategy: "all" } });
    expect(all).toMatchObject({
      id: first.id,
      deduplicated: true,
      status: "completed",
      output: "out",
    });
    const next = await client.start("task", { deduplication: { key, strategy: "completed" } });
    expect(next.deduplicated).toBe(false);
    expect(next.id).not.toBe(first.id);
  });

  rule('a failed sequence holds its key under "all" only', async ({ open }) => {
    const client = await open();
    const first = await client.start("task", { deduplication: { key } });
    const worker = await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: () => Promise.reject(new Error("broken")),
      },
    });
    await client.until(first, "failed");
    await worker.stop();
    const all = await client.start("task", { deduplication: { key, strategy: "all" } });
    expect(all).toMatchObject({ id: first.id, deduplicated: true, status: "failed" });
    const next = await client.start("task", { deduplication: { key } });
    expect(next).toMatchObject({ deduplicated: false, status: "pending" });
    // Its key has gone to another sequence, which is unfinished.
    expect(await client.queuert.retryFailedJobs({ ids: [first.id] })).toEqual([
      { id: first.id, retried: false, reason: "deduplication_key_taken" },
    ]);
  });

  rule("only sequences within the window stand for the key", async ({ open, stateAdapter }) => {
    const client = await open();
    const first = await client.start("task", { deduplication: { key } });
    const within = await client.start("task", { deduplication: { key, windowMs: 3_600_000 } });
    expect(within).toMatchObject({ id: first.id, deduplicated: true });
    await createStateSteps(stateAdapter).untilStoreTime(new Date(first.createdAt.getTime() + 20));
    const after = await client.start("task", { deduplication: { key, windowMs: 10 } });
    expect(after.deduplicated).toBe(false);
    // The newest stands for the key.
    const again = await client.start("task", { deduplication: { key } });
    expect(again.deduplicated).toBe(true);
  });

  rule("two elements of one call with the same key are one sequence", async ({ open }) => {
    const client = await open();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: [
          { typeName: "task", input: 1, deduplication: { key } },
          { typeName: "task", input: 2, deduplication: { key: "another" } },
          { typeName: "task", input: 3, deduplication: { key } },
        ],
      }),
    );
    expect(started.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true]);
    expect(started[2].id).toBe(started[0].id);
  });

  rule("many concurrent starts of one key make one sequence", async ({ open, openSecond }) => {
    const client = await open();
    const second = await openSecond();
    const started = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 === 0 ? client : second).start("task", { deduplication: { key } }),
      ),
    );
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    expect(started.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    expect((await client.queuert.listJobs()).items).toHaveLength(1);
  });

  rule("a key whose start was rolled back is free again", async (context) => {
    const { open, openSecond, gate } = context;
    const client = await open();
    const second = await openSecond();
    const held = gate();
    const rollingBack = rejection(
      client.queuert.transaction(async (tx) => {
        await client.startIn(tx, "task", { deduplication: { key } });
        await held.pass();
        throw new Error("rolled back on purpose");
      }),
    );
    await held.arrived();
    // Waits for the first, on every store; creates when it has been rolled back.
    const starting = second.start("task", { deduplication: { key } });
    held.open();
    expect(await rollingBack).toMatchObject({ message: "rolled back on purpose" });
    expect(await starting).toMatchObject({ deduplicated: false });
    expect((await client.queuert.listJobs()).items).toHaveLength(1);
  });

  rule("a deduplicated start is marked as such, and wakes no worker", async ({ open }) => {
    const client = await open();
    await client.start("task", { deduplication: { key } });
    await client.start("task", { deduplication: { key } });
    expect(client.events.of("jobSequenceCreated")).toHaveLength(1);
    expect(client.events.of("jobSequenceDeduplicated")).toHaveLength(1);
    expect(client.events.of("jobCreated")).toHaveLength(1);
  });
});
