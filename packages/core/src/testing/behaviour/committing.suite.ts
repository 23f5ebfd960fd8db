import { expect } from "vitest";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";

export const committingSuite: BehaviourSuite = defineBehaviourSuite("committing", (rule) => {
  rule(
    "a commit that is refused fails the attempt, which is counted and backs off",
    async (context) => {
      const { open, stateAdapter, userRows } = context;
      let refusals = 3;
      const refusing = interceptState(stateAdapter, {
        beforeCommit: () => {
          if (refusals === 0) return;
          refusals -= 1;
          throw new Error("deferred constraint violated");
        },
      });
      const client = await open();
      const worker = await open({ stateAdapter: refusing });
      const started = await client.start("task");
      await worker.work({
        task: {
          retryConfig: { initialDelayMs: 20, multiplier: 1, jitter: "none" },
          process: async ({ job, complete }) =>
            complete(async (tx) => {
              await userRows.insert(tx, `attempt ${job.attempt}`);
              return job.attempt;
            }),
        },
      });
      expect(await client.until(started)).toMatchObject({ output: 4 });
      expect(await client.job(started)).toMatchObject({
        attempt: 4,
        lastAttemptError: expect.stringContaining("deferred constraint violated"),
      });
      expect(await userRows.list()).toEqual(["attempt 4"]);
      expect(worker.events.of("jobAttemptFailed")).toHaveLength(3);
      expect(worker.events.of("jobCompleted")).toHaveLength(1);
    },
  );

  rule("a commit that is refused for ever uses the attempts up", async (context) => {
    const { open, stateAdapter } = context;
    const refusing = interceptState(stateAdapter, {
      beforeCommit: () => {
        throw new Error("deferred constraint violated");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: refusing });
    const started = await client.start("task");
    await worker.work({
      task: {
        retryConfig: { maxAttempts: 3, initialDelayMs: 1 },
        process: async ({ complete }) => complete(async () => null),
      },
    });
    expect(await client.until(started, "failed")).toMatchObject({
      error: expect.stringContaining("deferred constraint violated"),
    });
    expect(await client.job(started)).toMatchObject({ attempt: 3 });
  });

  rule("a commit whose answer was lost is looked up, not repeated", async (context) => {
    const { open, stateAdapter, userRows } = context;
    let isLost = false;
    const losing = interceptState(stateAdapter, {
      afterCommit: () => {
        if (isLost) return;
        isLost = true;
        throw new StateFault("connection lost");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: losing });
    const blocker = await client.start("task");
    const waiting = await client.start("waiting", {
      startBlockers: () => Promise.resolve([blocker]),
    });
    await worker.work({
      task: async ({ complete }) =>
        complete(async (tx) => {
          await userRows.insert(tx, "once");
          return "stored";
        }),
      waiting: async ({ complete }) => complete("released"),
    });
    expect(await client.until(blocker)).toMatchObject({ output: "stored" });
    expect(await client.until(waiting)).toMatchObject({ output: "released" });
    expect(isLost).toBe(true);
    expect(await userRows.list()).toEqual(["once"]);
    expect(await client.job(blocker)).toMatchObject({ attempt: 1, lastAttemptError: null });
    expect(worker.events.of("jobAttemptFailed")).toEqual([]);
    expect(worker.events.of("jobCompleted").map(({ id }) => id)).toEqual([blocker.id, waiting.id]);
    expect(worker.events.of("jobUnblocked").map(({ id }) => id)).toEqual([waiting.id]);
  });

  rule("a completion whose answer was lost with its commit's is not repeated", async (context) => {
    const { open, stateAdapter, userRows, capabilities } = context;
    let isLost = false;
    const losing = interceptState(stateAdapter, {
      after: (operation) => {
        if (operation !== "completeJobs" || isLost) return;
        isLost = true;
        throw new StateFault("connection lost");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: losing });
    const started = await client.start("task");
    await worker.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ complete }) =>
          complete(async (tx) => {
            await userRows.insert(tx, "once");
            return "stored";
          }),
      },
    });
    expect(await client.until(started)).toMatchObject({ output: "stored" });
    expect(await userRows.list()).toEqual(["once"]);
    // Where the commit is a step of its own, it was not reached.
    const attempt = capabilities.completesAndCommits === true ? 1 : 2;
    expect(await client.job(started)).toMatchObject({ attempt });
    expect(worker.events.of("jobCompleted")).toHaveLength(1);
    expect(worker.events.of("jobAttemptFailed")).toHaveLength(attempt - 1);
  });

  rule("a continuation whose commit's answer was lost is there once", async (context) => {
    const { open, stateAdapter } = context;
    let lost = 0;
    const losing = interceptState(stateAdapter, {
      afterCommit: () => {
        lost += 1;
        if (lost === 1) throw new StateFault("connection lost");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: losing });
    const first = await client.start("first");
    await worker.work({
      first: async ({ complete }) =>
        complete(async ({ continueWith }) => continueWith({ typeName: "next", input: null })),
      next: async ({ complete }) => complete("end"),
    });
    expect(await client.until(first)).toMatchObject({ output: "end" });
    expect((await client.queuert.listJobs({ sequenceId: first.id })).items).toHaveLength(2);
  });

  rule("a settled group whose answer was lost is recognised, not repeated", async (context) => {
    const { open, stateAdapter } = context;
    let isLost = false;
    const losing = interceptState(stateAdapter, {
      after: (operation) => {
        if (operation !== "completeJobs" || isLost) return;
        isLost = true;
        throw new StateFault("connection lost");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: losing });
    const started = [await client.start("first"), await client.start("first")];
    await worker.work({
      first: async ({ job, complete }) =>
        complete.continueWith({ typeName: "next", input: job.id }),
      next: async ({ complete }) => complete("end"),
    });
    for (const one of started) {
      expect(await client.until(one)).toMatchObject({ output: "end" });
      expect(await client.job(one)).toMatchObject({ attempt: 1 });
      expect((await client.queuert.listJobs({ sequenceId: one.id })).items).toHaveLength(2);
    }
    expect(worker.events.of("jobAttemptFailed")).toEqual([]);
    expect(worker.events.of("jobCompleted").map(({ id }) => id)).toHaveLength(4);
  });

  rule("a failure whose answer was lost is recorded once", async (context) => {
    const { open, stateAdapter } = context;
    const lost = new Set<string>();
    const losing = interceptState(stateAdapter, {
      after: (operation) => {
        if (!["rescheduleJobs", "failJobs"].includes(operation) || lost.has(operation)) return;
        lost.add(operation);
        throw new StateFault("connection lost");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: losing });
    const started = await client.start("task");
    await worker.work({
      task: {
        retryConfig: { maxAttempts: 2, initialDelayMs: 1 },
        process: () => Promise.reject(new Error("broken")),
      },
    });
    await client.until(started, "failed");
    expect(await client.job(started)).toMatchObject({ attempt: 2 });
    expect([...lost].sort()).toEqual(["failJobs", "rescheduleJobs"]);
  });

  rule("a callback that swallows a failed statement stores all or nothing", async (context) => {
    const { open, userRows, capabilities, poisonTransaction } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          complete(async (tx) => {
            await userRows.insert(tx, "before");
            await poisonTransaction?.(tx);
            return "done";
          }),
      },
    });
    if (capabilities.failedStatementAbortsTransaction) {
      await client.until(started, "failed");
      expect(await userRows.list()).toEqual([]);
      expect(await client.job(started)).toMatchObject({ attempt: 1 });
    } else {
      expect(await client.until(started)).toMatchObject({ output: "done" });
      expect(await userRows.list()).toEqual(["before"]);
    }
  });

  rule("a settle statement that the store refuses fails the attempt", async (context) => {
    const { open, stateAdapter, userRows } = context;
    const refusing = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "completeJobs") throw new Error("refused by the store");
      },
    });
    const client = await open();
    const worker = await open({ stateAdapter: refusing });
    const byCallback = await client.start("task", { input: "callback" });
    const byValue = await client.start("task", { input: "value" });
    await worker.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) =>
          job.input === "value"
            ? complete(null)
            : complete(async (tx) => {
                await userRows.insert(tx, "row");
                return null;
              }),
      },
    });
    for (const one of [byCallback, byValue]) {
      expect(await client.until(one, "failed")).toMatchObject({
        error: expect.stringContaining("refused by the store"),
      });
    }
    expect(await userRows.list()).toEqual([]);
  });

  rule("an output that JSON cannot carry fails the attempt, with its path", async ({ open }) => {
    const client = await open();
    const byValue = await client.start("task", { input: "value" });
    const byCallback = await client.start("task", { input: "callback" });
    const bad = { total: [1, Symbol("two")] } as never;
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) =>
          job.input === "value" ? complete(bad) : complete(() => bad),
      },
    });
    for (const each of [byValue, byCallback]) {
      expect(await client.until(each, "failed")).toMatchObject({
        error: expect.stringMatching(/output of job type "task".*\$\.total\[1\]/),
      });
    }
  });

  rule("one bad outcome in a group harms no other", async ({ open, gate }) => {
    const client = await open();
    const together = gate();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 6 }, (_, input) => ({ typeName: "task", input }) as const),
      }),
    );
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) => {
          await together.pass();
          if (job.input === 2) throw new Error("bad");
          // The compiler would refuse it.
          return complete(job.input === 4 ? (Symbol("1") as never) : job.input);
        },
      },
    });
    await together.arrived(6);
    together.open();
    const ends = await Promise.all(
      started.map((one, index) =>
        client.until(one, index === 2 || index === 4 ? "failed" : "completed"),
      ),
    );
    expect(ends).toHaveLength(6);
  });
});
