import { expect } from "vitest";
import { rejection } from "./rejection.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { cataloguedJobTypes } from "./definitions.ts";

export const continuingSuite: BehaviourSuite = defineBehaviourSuite("continuing", (rule) => {
  rule("a callback continues the sequence with its next job", async ({ open }) => {
    const client = await open();
    const first = await client.start("first", { input: 1 });
    await client.work({
      first: async ({ job, complete }) =>
        complete(({ continueWith }) => continueWith({ typeName: "next", input: [job.input, 2] })),
      next: async ({ job, complete }) => complete({ from: job.input }),
    });
    const ended = await client.until(first);
    expect(ended).toMatchObject({ id: first.id, typeName: "first", output: { from: [1, 2] } });
    expect(ended.currentJobId).not.toBe(first.id);
    expect(await client.job(first)).toMatchObject({
      status: "completed",
      output: undefined,
      continuedToId: ended.currentJobId,
    });
    expect(await client.job({ id: ended.currentJobId })).toMatchObject({
      typeName: "next",
      sequenceId: first.id,
      sequenceTypeName: "first",
      rootSequenceId: first.id,
      originId: first.id,
      position: 1,
    });
  });

  rule("a value continues the sequence with its next job", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    await client.work({
      first: async ({ complete }) =>
        complete.continueWith({ typeName: "next", input: "by value", priority: 4 }),
      next: async ({ job, complete }) => complete([job.input, job.priority, job.position]),
    });
    expect(await client.until(first)).toMatchObject({ output: ["by value", 4, 1] });
  });

  rule("a long sequence keeps its order and its ends", async ({ open }) => {
    const client = await open();
    const length = 12;
    const first = await client.start("first");
    await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: 1 }),
      next: async ({ job, complete }) => {
        const n = Number(job.input);
        if (n === length) return complete(n);
        return n % 2 === 0
          ? complete.continueWith({ typeName: "next", input: n + 1 })
          : complete(({ continueWith }) => continueWith({ typeName: "next", input: n + 1 }));
      },
    });
    expect(await client.until(first)).toMatchObject({ output: length });
    const { items } = await client.queuert.listJobs({ sequenceId: first.id, order: "asc" });
    expect(items.map(({ position }) => position)).toEqual(
      Array.from({ length: length + 1 }, (_, index) => index),
    );
    expect(items.map(({ originId }) => originId)).toEqual([
      null,
      ...items.slice(0, -1).map(({ id }) => id),
    ]);
  });

  rule("a sequence is unfinished until its last job has completed", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const first = await client.start("first");
    await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
      next: async ({ complete }) => {
        await held.pass();
        return complete("end");
      },
    });
    await held.arrived();
    expect(await client.sequence(first)).toMatchObject({ status: "running" });
    expect((await client.sequence(first)).currentJobId).not.toBe(first.id);
    held.open();
    expect(await client.until(first)).toMatchObject({ output: "end" });
  });

  rule("continueWith can be called once only", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    const errors: unknown[] = [];
    await client.work({
      first: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          complete(async ({ continueWith }) => {
            const continuation = await continueWith({ typeName: "next", input: null });
            errors.push(await rejection(continueWith({ typeName: "next", input: null })));
            return continuation;
          }),
      },
    });
    await client.untilJob(first, "completed");
    expect(errors).toMatchObject([{ message: "continueWith can only be called once" }]);
    const { items } = await client.queuert.listJobs({ sequenceId: first.id });
    expect(items).toHaveLength(2);
  });

  rule("a continuation that is not returned fails the attempt", async ({ open, userRows }) => {
    const client = await open();
    const first = await client.start("first");
    await client.work({
      first: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          complete(async ({ continueWith, ...context }) => {
            await userRows.insert(context, "row");
            await continueWith({ typeName: "next", input: null });
            return "an output as well";
          }),
      },
    });
    expect(await client.until(first, "failed")).toMatchObject({
      error: expect.stringContaining("Return the result of continueWith"),
    });
    expect(await userRows.list()).toEqual([]);
    expect((await client.queuert.listJobs({ typeName: "next" })).items).toEqual([]);
  });

  rule(
    "a throw after complete stores nothing of it, the continuation included",
    async (context) => {
      const { open, userRows } = context;
      const client = await open();
      const byCallback = await client.start("first", { input: "callback" });
      const byValue = await client.start("first", { input: "value" });
      await client.work({
        first: {
          retryConfig: { maxAttempts: 1 },
          process: async ({ job, complete }) => {
            if (job.input === "value") await complete.continueWith({ typeName: "next", input: 1 });
            else {
              await complete(async ({ continueWith, ...tx }) => {
                await userRows.insert(tx, "row");
                return continueWith({ typeName: "next", input: 1 });
              });
            }
            throw new Error("after complete");
          },
        },
      });
      for (const first of [byCallback, byValue]) {
        const failed = await client.until(first, "failed");
        expect(failed).toMatchObject({ error: expect.stringContaining("after complete") });
        expect(failed.currentJobId).toBe(first.id);
      }
      expect(await userRows.list()).toEqual([]);
      expect((await client.queuert.listJobs({ typeName: "next" })).items).toEqual([]);
      expect(client.events.of("jobCreated").filter(({ typeName }) => typeName === "next")).toEqual(
        [],
      );
    },
  );

  rule("a failed attempt that is retried continues once", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    await client.work({
      first: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          const completion = await complete(({ continueWith }) =>
            continueWith({ typeName: "next", input: job.attempt }),
          );
          if (job.attempt < 3) throw new Error("again");
          return completion;
        },
      },
      next: async ({ job, complete }) => complete(job.input),
    });
    expect(await client.until(first)).toMatchObject({ output: 3 });
    const { items } = await client.queuert.listJobs({ sequenceId: first.id });
    expect(items).toHaveLength(2);
  });

  rule("a continuation can wait for blockers that it starts", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const first = await client.start("first");
    await client.work({
      first: async ({ complete }) =>
        complete(({ continueWith, ...tx }) =>
          continueWith({
            typeName: "gated",
            input: "waits",
            startBlockers: async () => [
              { ...(await client.startIn(tx, "task", { input: "blocker" })), typeName: "task" },
            ],
          }),
        ),
      task: async ({ job, complete }) => {
        await held.pass();
        return complete(["done", job.input]);
      },
      gated: async ({ job, complete }) => complete(job.blockers.map((blocker) => blocker.output)),
    });
    await held.arrived();
    const sequence = await client.until(first, "blocked");
    const gated = await client.job({ id: sequence.currentJobId });
    const blocker = gated.blockers[0] as { readonly id: string };
    expect(await client.sequence(blocker)).toMatchObject({
      rootSequenceId: first.id,
      originId: gated.id,
    });
    held.open();
    expect(await client.until(first)).toMatchObject({ output: [["done", "blocker"]] });
  });

  rule("a continuation with blockers is rolled back with its attempt", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    await client.work({
      first: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) => {
          await complete(({ continueWith, ...tx }) =>
            continueWith({
              typeName: "gated",
              input: null,
              startBlockers: async () => [
                { ...(await client.startIn(tx, "task")), typeName: "task" },
              ],
            }),
          );
          throw new Error("after complete");
        },
      },
    });
    await client.until(first, "failed");
    const { items } = await client.queuert.listJobs();
    expect(items.filter(({ typeName }) => typeName !== "first" && typeName !== "task")).toEqual([]);
    expect((await client.queuert.listJobSequences({ typeName: "task" })).items).toEqual([]);
  });

  rule("a scheduled continuation is not run before it is due", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    await client.work({
      first: async ({ complete }) =>
        complete.continueWith({ typeName: "next", input: null, schedule: { afterMs: 60_000 } }),
      next: async ({ complete }) => complete("too soon"),
    });
    const sequence = await client
      .until(first, "pending")
      .then(() => client.untilJob(first, "completed").then(() => client.sequence(first)));
    const next = await client.job({ id: sequence.currentJobId });
    expect(next).toMatchObject({ typeName: "next", status: "pending", attempt: 0 });
    expect(next.scheduledAt.getTime() - next.createdAt.getTime()).toBeGreaterThan(59_000);
  });

  rule("a continuation that the catalogue does not name is refused", async ({ open }) => {
    const client = await open({ jobTypes: cataloguedJobTypes });
    const task = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          // The compiler would refuse it.
          (complete as unknown as { continueWith: (options: object) => never }).continueWith({
            typeName: "next",
            input: null,
          }),
      },
    });
    expect(await client.until(task, "failed")).toMatchObject({
      error: expect.stringContaining('"task" does not continue to "next"'),
    });
  });

  rule("a continuation takes no key and no parent of its own", async ({ open }) => {
    for (const options of [{ deduplication: { key: "key" } }, { parent: { id: "id" } }]) {
      const client = await open();
      const first = await client.start("first");
      const worker = await client.work({
        first: {
          retryConfig: { maxAttempts: 1 },
          process: async ({ complete }) =>
            // The compiler would refuse it.
            complete.continueWith({ typeName: "next", input: null, ...options } as never),
        },
      });
      expect(await client.until(first, "failed")).toMatchObject({
        error: expect.stringContaining("no option has this name"),
      });
      await worker.stop();
    }
  });

  rule("continueWith that is given nothing says so", async ({ open }) => {
    const client = await open();
    const [byValue, byCallback] = [await client.start("first"), await client.start("first")];
    await client.work({
      first: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) =>
          // The compiler would refuse it.
          job.id === byValue.id
            ? complete.continueWith(undefined as never)
            : complete(({ continueWith }) => continueWith(undefined as never)),
      },
    });
    for (const each of [byValue, byCallback]) {
      expect(await client.until(each, "failed")).toMatchObject({
        error: expect.stringMatching(/continueWith.*give an object/),
      });
    }
  });

  rule("complete.continueWith refuses blockers, which need a transaction", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    await client.work({
      first: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          // The compiler would refuse it.
          complete.continueWith({
            typeName: "gated",
            input: null,
            startBlockers: () => [],
          } as never),
      },
    });
    expect(await client.until(first, "failed")).toMatchObject({
      error: expect.stringContaining("takes no startBlockers"),
    });
  });
});
