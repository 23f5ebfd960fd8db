import { expect } from "vitest";
import type { JobSequence } from "../../model/sequence.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";

/** Starts a job that waits for sequences which are there already. */
const startWaiting = (
  client: BehaviourClient,
  blockers: readonly { readonly id: string; readonly typeName: string }[],
  onBlockerFailure: "wait" | "fail" = "wait",
): Promise<JobSequence> =>
  client.start("waiting", { startBlockers: () => Promise.resolve(blockers), onBlockerFailure });

/** Completes with the outputs of the blockers. */
const completeWithOutputs = {
  waiting: async ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
} satisfies Parameters<BehaviourClient["work"]>[0];

export const blockingSuite: BehaviourSuite = defineBehaviourSuite("blocking", (rule) => {
  rule("a job waits for the blocker started with it, and gets its output", async (context) => {
    const { open, gate } = context;
    const client = await open();
    const held = gate();
    const waiting = await client.queuert.transaction((tx) =>
      client.startIn(tx, "waiting", {
        startBlockers: async ({ job }) => {
          expect(job).toMatchObject({ typeName: "waiting", status: "blocked" });
          return [await client.startIn(tx, "task", { input: "blocker" })];
        },
      }),
    );
    expect(waiting.status).toBe("blocked");
    await client.work({
      ...completeWithOutputs,
      task: async ({ job, complete }) => {
        await held.pass();
        return complete([job.input, job.originId, job.rootSequenceId]);
      },
    });
    await held.arrived();
    expect(await client.job(waiting)).toMatchObject({
      status: "blocked",
      blockers: [{ typeName: "task", status: "running" }],
    });
    held.open();
    expect(await client.until(waiting)).toMatchObject({
      output: [["blocker", waiting.id, waiting.id]],
    });
  });

  rule("a job waits for all of several blockers, in the order given", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const blockers = [
      await client.start("other", { input: "slow" }),
      await client.start("task", { input: "quick" }),
    ];
    const waiting = await startWaiting(client, blockers);
    await client.work({
      ...completeWithOutputs,
      task: async ({ job, complete }) => complete(job.input),
      other: async ({ job, complete }) => {
        await held.pass();
        return complete(job.input);
      },
    });
    await client.untilJob(blockers[1] ?? waiting, "completed");
    await held.arrived();
    expect(await client.job(waiting)).toMatchObject({ status: "blocked", attempt: 0 });
    held.open();
    expect(await client.until(waiting)).toMatchObject({ output: ["slow", "quick"] });
  });

  rule("a blocker shared by many releases them all", async ({ open }) => {
    const client = await open();
    const shared = await client.start("task", { input: "shared" });
    const waiting = await Promise.all(
      Array.from({ length: 5 }, () => startWaiting(client, [shared])),
    );
    await client.work({
      ...completeWithOutputs,
      task: async ({ job, complete }) => complete(job.input),
    });
    for (const one of waiting) {
      expect(await client.until(one)).toMatchObject({ output: ["shared"] });
    }
  });

  rule("a blocker given twice keeps both places", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task", { input: "twice" });
    const waiting = await startWaiting(client, [blocker, blocker]);
    await client.work({
      ...completeWithOutputs,
      task: async ({ job, complete }) => complete(job.input),
    });
    expect(await client.until(waiting)).toMatchObject({ output: ["twice", "twice"] });
  });

  rule("blockers that are complete already do not block", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task", { input: "before" });
    await client.work({
      ...completeWithOutputs,
      task: async ({ job, complete }) => complete(job.input),
    });
    await client.until(blocker);
    const waiting = await startWaiting(client, [blocker]);
    expect(waiting.status).not.toBe("blocked");
    expect(await client.until(waiting)).toMatchObject({ output: ["before"] });
  });

  rule("a blocker that is continued blocks until its sequence ends", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const blocker = await client.start("first");
    const waiting = await startWaiting(client, [blocker]);
    await client.work({
      ...completeWithOutputs,
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
      next: async ({ complete }) => {
        await held.pass();
        return complete("the end");
      },
    });
    await held.arrived();
    expect(await client.job(waiting)).toMatchObject({ status: "blocked" });
    held.open();
    expect(await client.until(waiting)).toMatchObject({ output: ["the end"] });
  });

  rule("blockers may wait for blockers of their own", async ({ open }) => {
    const client = await open();
    const outer = await client.queuert.transaction((tx) =>
      client.startIn(tx, "waiting", {
        input: "outer",
        startBlockers: async () => [
          await client.startIn(tx, "waiting", {
            input: "inner",
            startBlockers: async () => [await client.startIn(tx, "task", { input: "leaf" })],
          }),
        ],
      }),
    );
    await client.work({
      task: async ({ job, complete }) => complete(job.input),
      waiting: async ({ job, complete }) =>
        complete([job.input, ...job.blockers.map(({ output }) => output)]),
    });
    expect(await client.until(outer)).toMatchObject({ output: ["outer", ["inner", "leaf"]] });
    const { items } = await client.queuert.listJobs({ rootSequenceId: outer.id, order: "asc" });
    const inner = items.find(({ input }) => input === "inner");
    expect(items.map(({ input, originId }) => [input, originId])).toEqual([
      ["outer", null],
      ["inner", outer.id],
      ["leaf", inner?.id],
    ]);
  });

  rule("sequences found, not started, keep their own lineage", async ({ open }) => {
    const client = await open();
    const existing = await client.start("task");
    const waiting = await startWaiting(client, [existing]);
    expect(await client.sequence(existing)).toMatchObject({
      rootSequenceId: existing.id,
      originId: null,
    });
    expect(waiting.rootSequenceId).toBe(waiting.id);
  });

  rule("lineage does not leak out of startBlockers", async ({ open, gate }) => {
    const client = await open();
    const later = gate();
    let outliving: Promise<JobSequence> = Promise.reject(new Error("never started"));
    outliving.catch(() => undefined);
    const waiting = await client.queuert.transaction(async (tx) => {
      const started = await client.startIn(tx, "waiting", {
        startBlockers: async () => {
          // Work that continues after the end of the callback has no parent.
          outliving = later.pass().then(() => client.start("other", { input: "outliving" }));
          return [await client.startIn(tx, "task")];
        },
      });
      const sibling = await client.startIn(tx, "task", { input: "sibling" });
      expect(sibling).toMatchObject({ originId: null, rootSequenceId: sibling.id });
      return started;
    });
    later.open();
    const free = await outliving;
    expect(free).toMatchObject({ originId: null, rootSequenceId: free.id });
    expect(waiting.status).toBe("blocked");
  });

  rule("sequences started in a complete callback are roots", async ({ open }) => {
    const client = await open();
    const task = await client.start("task");
    await client.work({
      task: async ({ complete }) =>
        complete(async (tx) => {
          const spawned = await client.startIn(tx, "other");
          return [spawned.id, spawned.rootSequenceId, spawned.originId];
        }),
    });
    const ended = await client.until(task);
    const [id, rootSequenceId, originId] = (ended as unknown as { output: string[] }).output;
    expect([rootSequenceId, originId]).toEqual([id, null]);
  });

  rule("a failed blocker leaves its dependant blocked until it is retried", async ({ open }) => {
    const client = await open();
    let isMended = false;
    const blocker = await client.start("task");
    const waiting = await startWaiting(client, [blocker]);
    await client.work({
      ...completeWithOutputs,
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) => {
          if (!isMended) throw new Error("broken");
          return complete("mended");
        },
      },
    });
    await client.until(blocker, "failed");
    expect(await client.job(waiting)).toMatchObject({ status: "blocked" });
    isMended = true;
    expect(await client.queuert.retryFailedJobs({ ids: [blocker.id] })).toEqual([
      { id: blocker.id, retried: true, status: "pending" },
    ]);
    expect(await client.until(waiting)).toMatchObject({ output: ["mended"] });
  });

  rule(
    'a dependant with onBlockerFailure "fail" fails too, and theirs in turn',
    async ({ open }) => {
      const client = await open();
      const blocker = await client.start("task");
      const patient = await startWaiting(client, [blocker], "wait");
      const waiting = await startWaiting(client, [blocker], "fail");
      const further = await startWaiting(client, [waiting], "fail");
      await client.work({
        task: {
          retryConfig: { maxAttempts: 1 },
          process: () => Promise.reject(new Error("broken")),
        },
      });
      await client.until(blocker, "failed");
      expect(await client.until(waiting, "failed")).toMatchObject({
        error: expect.stringContaining(blocker.id),
      });
      expect(await client.until(further, "failed")).toMatchObject({
        error: expect.stringContaining(waiting.id),
      });
      expect(await client.sequence(patient)).toMatchObject({ status: "blocked" });
      const ended = [blocker.id, waiting.id, further.id].sort();
      await client.events.until("jobSequenceFailed");
      const { events } = client;
      expect(
        events
          .of("jobFailed")
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ended);
      const failed = events.of("jobSequenceFailed");
      expect(failed.map(({ sequenceId }) => sequenceId).sort()).toEqual(ended);
      for (const { durationMs } of failed) expect(durationMs).toBeGreaterThanOrEqual(0);
    },
  );

  rule(
    'a blocker that has failed already fails a dependant with "fail" at once',
    async ({ open }) => {
      const client = await open();
      const blocker = await client.start("task");
      await client.work({
        task: {
          retryConfig: { maxAttempts: 1 },
          process: () => Promise.reject(new Error("broken")),
        },
      });
      await client.until(blocker, "failed");
      const failing = await startWaiting(client, [blocker], "fail");
      expect(failing).toMatchObject({ status: "failed" });
      const patient = await startWaiting(client, [blocker], "wait");
      expect(patient).toMatchObject({ status: "blocked" });
    },
  );

  rule("a failed dependant that is retried waits for its blocker again", async ({ open }) => {
    const client = await open();
    let isMended = false;
    const blocker = await client.start("task");
    const waiting = await startWaiting(client, [blocker], "fail");
    await client.work({
      ...completeWithOutputs,
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) => {
          if (!isMended) throw new Error("broken");
          return complete("mended");
        },
      },
    });
    await client.until(waiting, "failed");
    isMended = true;
    const retried = await client.queuert.retryFailedJobs({ ids: [waiting.id, blocker.id] });
    expect(retried.map(({ retried }) => retried)).toEqual([true, true]);
    expect(await client.until(waiting)).toMatchObject({ output: ["mended"] });
  });

  rule("a deduplicated start does not start its blockers again", async ({ open }) => {
    const client = await open();
    const start = () =>
      client.queuert.transaction((tx) =>
        client.startIn(tx, "waiting", {
          deduplication: { key: "once" },
          startBlockers: async () => [await client.startIn(tx, "task")],
        }),
      );
    const first = await start();
    const second = await start();
    expect([first.deduplicated, second.deduplicated]).toEqual([false, true]);
    expect(second).toMatchObject({ id: first.id, status: "blocked" });
    expect((await client.queuert.listJobs({ typeName: "task" })).items).toHaveLength(1);
  });

  rule(
    "two blockers that complete at the same instant release their dependant",
    async (context) => {
      const { open, gate, capabilities } = context;
      const client = await open();
      for (let round = 0; round < 5; round += 1) {
        const held = gate();
        const blockers = [
          await client.start("task", { input: round }),
          await client.start("other", { input: round }),
        ];
        const waiting = await startWaiting(client, blockers);
        const processes = {
          task: async ({ complete }) =>
            complete(async () => {
              // Both are inside their transactions before either may end, where there can be two.
              if (capabilities.concurrentWriters) await held.pass();
              return round;
            }),
          other: async ({ complete }) =>
            complete(async () => {
              if (capabilities.concurrentWriters) await held.pass();
              return round;
            }),
          ...completeWithOutputs,
        } satisfies Parameters<BehaviourClient["work"]>[0];
        const worker = await client.work(processes);
        if (capabilities.concurrentWriters) await held.arrived(2);
        held.open();
        expect(await client.until(waiting)).toMatchObject({ output: [round, round] });
        await worker.stop();
      }
    },
  );

  rule("a blocker that completes while its dependant is created releases it", async (context) => {
    const { open, gate, capabilities } = context;
    const client = await open();
    const settling = gate();
    const blocker = await client.start("task");
    await client.work({
      ...completeWithOutputs,
      task: async ({ complete }) => {
        await settling.pass();
        return complete(async () => "in time");
      },
    });
    await settling.arrived();
    const waiting = await client.queuert.transaction(async (tx) => {
      const started = await client.startIn(tx, "waiting", {
        startBlockers: () => Promise.resolve([blocker]),
      });
      settling.open();
      // Where two can write, the blocker's transaction gets as far as it may before this one commits.
      if (capabilities.concurrentWriters) await client.events.until("jobAttemptStarted");
      return started;
    });
    expect(await client.until(waiting)).toMatchObject({ output: ["in time"] });
  });

  rule("a job may go on after blockers that have failed or were cancelled", async ({ open }) => {
    const client = await open();
    const blockers = [
      await client.start("task", { input: "fail" }),
      await client.start("task", { input: "complete" }),
      await client.start("other"),
    ];
    const after = await client.start("after", {
      ...{ startBlockers: () => Promise.resolve(blockers), onBlockerFailure: "continue" },
    });
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) => {
          if (job.input === "fail") throw new Error("broken on purpose");
          return complete("done");
        },
      },
      after: async ({ job, complete }) =>
        complete(
          job.blockers.map((blocker) =>
            blocker.status === "failed" ? "broken" : (blocker.status satisfies string),
          ),
        ),
    });
    await client.until(blockers[0] ?? after, "failed");
    await client.until(blockers[1] ?? after);
    expect(await client.job(after)).toMatchObject({ status: "blocked" });
    // It does not forbid the cancellation, and is released by it.
    await client.queuert.cancelJobSequences({ ids: [blockers[2]?.id ?? ""], reason: "unwanted" });
    expect(await client.until(after)).toMatchObject({
      output: ["broken", "completed", "cancelled"],
    });
    expect(client.events.of("jobUnblocked")).toMatchObject([
      { id: after.id, unblockedBySequenceId: blockers[2]?.id },
    ]);
  });
});
