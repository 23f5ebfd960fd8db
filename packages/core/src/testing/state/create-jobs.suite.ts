import { expect } from "vitest";
import { aContinuation, aJob, aKey, minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";
import { payloads } from "./payloads.ts";

const stored: StateSuite = defineStateSuite("createJobs", (rule) => {
  rule("stores an entry job with every field", async ({ steps, stateAdapter }) => {
    const root = await steps.createOne({ typeName: "root" });
    const created = only(
      await stateAdapter.createJobs({
        jobs: [
          aJob({
            typeName: "child",
            input: '{"to":"ada"}',
            priority: 7,
            rootSequenceId: root.id,
            originId: root.id,
            onBlockerFailure: "fail",
            traceContext: "00-trace",
            deduplication: aKey("k"),
          }),
        ],
      }),
    );
    expect(created.deduplicated).toBe(false);
    expect(created.job).toMatchObject({
      typeName: "child",
      sequenceId: created.job.id,
      sequenceTypeName: "child",
      rootSequenceId: root.id,
      originId: root.id,
      position: 0,
      status: "pending",
      input: '{"to":"ada"}',
      output: null,
      continuedToId: null,
      priority: 7,
      onBlockerFailure: "fail",
      deduplicationKey: "k",
      attempt: 0,
      lastAttemptAt: null,
      lastAttemptError: null,
      leaseVersion: 0,
      leasedBy: null,
      leasedUntil: null,
      finishedAt: null,
      completedBy: null,
      traceContext: "00-trace",
    });
    expect(created.job.sequenceCreatedAt).toEqual(created.job.createdAt);
    expect(await steps.get(created.job)).toEqual(created.job);
  });

  rule("An empty array is answered without touching the store.", async ({ stateAdapter }) => {
    expect(await stateAdapter.createJobs({ jobs: [] })).toEqual([]);
  });

  rule("arrays in, arrays out, in the same order", async ({ steps }) => {
    const names = ["c", "a", "b", "a", "d"];
    const created = await steps.create(...names.map((typeName) => ({ typeName })));
    expect(created.map(({ typeName }) => typeName)).toEqual(names);
    expect(new Set(created.map(({ id }) => id)).size).toBe(names.length);
  });

  rule("stores a thousand jobs in one call, in order", async ({ steps, stateAdapter }) => {
    const inputs = Array.from({ length: 1_000 }, (_, index) => JSON.stringify({ index }));
    const created = await steps.create(...inputs.map((input) => ({ input })));
    const read = await stateAdapter.getJobs({ ids: created.map(({ id }) => id) });
    expect(read.map((job) => job?.input)).toEqual(inputs);
  });

  rule("All or none.", async ({ steps, stateAdapter, runInTransaction }) => {
    const ids: string[] = [];
    const transaction = runInTransaction(async (context) => {
      const jobs = [aJob({ deduplication: aKey("k") }), aJob(), aJob({ awaitsBlockers: true })];
      const created = await stateAdapter.createJobs({ context, jobs });
      ids.push(...created.map(({ job }) => job.id));
      throw new Error("after createJobs");
    });
    await expect(transaction).rejects.toThrow("after createJobs");
    expect(await stateAdapter.getJobs({ ids })).toEqual([undefined, undefined, undefined]);
    const again = await stateAdapter.createJobs({ jobs: [aJob({ deduplication: aKey("k") })] });
    expect(only(again).deduplicated).toBe(false);
    expect(await steps.acquire({ limit: 10 })).toHaveLength(1);
  });

  rule("`ordinal` grows in the order of the array.", async ({ steps }) => {
    const first = await steps.create({}, {}, {});
    const second = await steps.create({ priority: 9 }, {});
    const ordinals = [...first, ...second].map(({ ordinal }) => ordinal);
    expect(ordinals).toEqual([...ordinals].sort((left, right) => left - right));
    expect(new Set(ordinals).size).toBe(5);
  });

  rule(
    "An entry job's `sequenceId` is its own id, its `rootSequenceId` its own id unless one is given.",
    async ({ steps }) => {
      const root = await steps.createOne();
      expect(root).toMatchObject({ sequenceId: root.id, rootSequenceId: root.id });
      const child = await steps.createOne({ rootSequenceId: root.id, originId: root.id });
      expect(child).toMatchObject({ sequenceId: child.id, rootSequenceId: root.id });
    },
  );

  rule("stores a continuation with its own position", async ({ steps, stateAdapter }) => {
    const first = await steps.createRunning();
    const next = aContinuation(first, { input: "[1]", priority: 3, traceContext: "t" });
    const { job } = only(await stateAdapter.createJobs({ jobs: [next] }));
    expect(job).toMatchObject({
      typeName: "next",
      sequenceId: first.id,
      sequenceTypeName: "task",
      rootSequenceId: first.id,
      originId: first.id,
      position: 1,
      input: "[1]",
      priority: 3,
      traceContext: "t",
      status: "pending",
    });
    expect(job.sequenceCreatedAt).toEqual(first.createdAt);
    expect((await steps.getSequence(first.id)).current.id).toBe(job.id);
  });
});

const waiting: StateSuite = defineStateSuite("createJobs, waiting", (rule) => {
  rule(
    "`awaitsBlockers`: stored as `blocked` with no blockers yet; only `addBlockers` can release it.",
    async ({ steps, stateAdapter }) => {
      const job = await steps.createOne({ awaitsBlockers: true });
      expect(job.status).toBe("blocked");
      expect(await stateAdapter.getBlockers({ ids: [job.id] })).toEqual([[]]);
      await steps.createCompleted({ typeName: "other" });
      expect(await steps.acquire()).toEqual([]);
      expect((await steps.get(job)).status).toBe("blocked");
    },
  );

  rule("Otherwise `pending`.", async ({ steps }) => {
    const created = await steps.create({}, { schedule: { afterMs: minuteMs } });
    expect(created.map(({ status }) => status)).toEqual(["pending", "pending"]);
  });

  rule("A schedule of either status is kept.", async ({ steps }) => {
    const at = new Date(Date.UTC(2199, 0, 31, 12, 30, 15, 250));
    const created = await steps.create(
      { schedule: { at } },
      { schedule: { at }, awaitsBlockers: true },
    );
    expect(created.map(({ scheduledAt }) => scheduledAt)).toEqual([at, at]);
  });

  rule("without a schedule a job is due at its creation", async ({ steps }) => {
    const { createdAt, scheduledAt } = await steps.createOne();
    expect(scheduledAt).toEqual(createdAt);
  });

  rule("`afterMs` counts from the store's clock", async ({ steps }) => {
    const created = await steps.create(
      { schedule: { afterMs: 90_000 } },
      { schedule: { afterMs: thirtyDaysMs } },
      { schedule: { afterMs: 0.5 } },
    );
    const delays = created.map((job) => job.scheduledAt.getTime() - job.createdAt.getTime());
    expect(delays[0]).toBe(90_000);
    expect(delays[1]).toBe(thirtyDaysMs);
    expect(delays[2]).toBeGreaterThanOrEqual(0);
    expect(delays[2]).toBeLessThanOrEqual(1);
  });

  rule(
    "Durations arrive in milliseconds; any finite one is accepted: a hundred years",
    async ({ steps }) => {
      const afterMs = 100 * 365 * 24 * 60 * minuteMs;
      const job = await steps.createOne({ schedule: { afterMs } });
      expect(job.scheduledAt.getTime() - job.createdAt.getTime()).toBe(afterMs);
    },
  );

  rule("`at` in the past is kept, and due", async ({ steps }) => {
    const job = await steps.createOne({ schedule: { at: new Date(0) } });
    expect(job.scheduledAt).toEqual(new Date(0));
    expect((await steps.acquireOne()).id).toBe(job.id);
  });

  rule(
    "Times are the store's clock at the moment of the statement, not of the transaction's start",
    async ({ steps, openTransaction }) => {
      const { context: _context, steps: inside, commit } = await openTransaction();
      const first = await inside.createOne();
      await new Promise((resolve) => setTimeout(resolve, 30));
      const second = await inside.createOne();
      await commit();
      expect(second.createdAt.getTime() - first.createdAt.getTime()).toBeGreaterThanOrEqual(20);
      expect((await steps.get(second)).createdAt).toEqual(second.createdAt);
    },
  );
});

const payloadRules: StateSuite = defineStateSuite("createJobs, payloads", (rule) => {
  for (const [what, text] of Object.entries(payloads)) {
    rule(`no store and no driver changes a payload: ${what}`, async ({ steps }) => {
      const job = await steps.createOne({ input: text });
      expect(job.input).toBe(text);
      expect((await steps.get(job)).input).toBe(text);
      const running = await steps.acquireOne();
      expect(running.input).toBe(text);
      await steps.complete(running, text);
      expect((await steps.get(job)).output).toBe(text);
    });
  }
});

const deduplication: StateSuite = defineStateSuite("createJobs, deduplication", (rule) => {
  rule(
    "Deduplication is by (`typeName`, `key`): while a matching sequence exists the stored one is returned with `deduplicated: true` and nothing is written for that element.",
    async ({ steps, stateAdapter }) => {
      const start = (typeName: string, key: string, input: string) =>
        stateAdapter.createJobs({ jobs: [aJob({ typeName, input, deduplication: aKey(key) })] });
      const first = only(await start("a", "k", '"first"'));
      const again = only(await start("a", "k", '"again"'));
      expect(again).toEqual({ job: first.job, deduplicated: true });
      expect(only(await start("b", "k", "1")).deduplicated).toBe(false);
      expect(only(await start("a", "other", "1")).deduplicated).toBe(false);
      expect(await steps.acquire({ typeName: "a", limit: 10 })).toHaveLength(2);
    },
  );

  rule(
    "elements around a deduplicated one are stored, in order",
    async ({ steps, stateAdapter }) => {
      const first = await steps.createOne({ deduplication: aKey("k") });
      const created = await stateAdapter.createJobs({
        jobs: [aJob({ input: "1" }), aJob({ deduplication: aKey("k") }), aJob({ input: "3" })],
      });
      expect(created.map(({ deduplicated }) => deduplicated)).toEqual([false, true, false]);
      expect(created.map(({ job }) => job.input)).toEqual(["1", "{}", "3"]);
      expect(created[1]?.job.id).toBe(first.id);
    },
  );

  rule('Under `"completed"` an unfinished sequence matches', async ({ steps }) => {
    const start = () => steps.createOne({ deduplication: aKey("k") });
    const first = await start();
    const running = await steps.acquireOne();
    expect((await start()).id).toBe(first.id);
    const next = await steps.continueWith(running);
    // The job is done, its sequence is not.
    expect((await start()).id).toBe(first.id);
    const last = await steps.acquireOne({ typeName: "next" });
    expect(last.id).toBe(next.id);
    await steps.complete(last);
    expect((await start()).id).not.toBe(first.id);
  });

  rule(
    'a blocked sequence holds its key, a failed one does not under `"completed"`',
    async ({ steps }) => {
      const blocked = await steps.createOne({ awaitsBlockers: true, deduplication: aKey("b") });
      expect((await steps.createOne({ deduplication: aKey("b") })).id).toBe(blocked.id);
      const failed = await steps.createFailed({ typeName: "f", deduplication: aKey("f") });
      const after = await steps.createOne({ typeName: "f", deduplication: aKey("f") });
      expect(after.id).not.toBe(failed.id);
    },
  );

  rule('under `"all"` a finished one (completed or failed) too', async ({ steps }) => {
    const all = aKey("k", { strategy: "all" });
    const completed = await steps.createCompleted({ typeName: "c", deduplication: all });
    expect((await steps.createOne({ typeName: "c", deduplication: all })).id).toBe(completed.id);
    const failed = await steps.createFailed({ typeName: "f", deduplication: all });
    expect((await steps.createOne({ typeName: "f", deduplication: all })).id).toBe(failed.id);
  });

  rule(
    "the strategy is that of the start that looks, not of the one that is stored",
    async ({ steps }) => {
      const first = await steps.createCompleted({ deduplication: aKey("k", { strategy: "all" }) });
      const second = await steps.createOne({ deduplication: aKey("k") });
      expect(second.id).not.toBe(first.id);
      const third = await steps.createOne({ deduplication: aKey("k", { strategy: "all" }) });
      expect([first.id, second.id]).toContain(third.id);
    },
  );

  rule("`excludeSequenceIds`: these sequences never match.", async ({ steps }) => {
    const deduplication = aKey("k", { strategy: "all" });
    const [first, other] = await steps.create({ deduplication }, { deduplication: aKey("other") });
    const start = (strategy: "completed" | "all" | "pending", ids: readonly string[]) =>
      steps.createOne({ deduplication: aKey("k", { strategy, excludeSequenceIds: ids }) });
    const [ownId, otherId] = [first?.id ?? "", other?.id ?? ""];
    expect((await start("all", [otherId])).id).toBe(ownId);
    expect((await start("pending", [])).id).toBe(ownId);
    const second = await start("completed", [ownId, otherId]);
    expect(second.id).not.toBe(ownId);
    // The newest of the others matches.
    expect((await start("completed", [ownId])).id).toBe(second.id);
    expect((await start("pending", [second.id])).id).toBe(ownId);
    expect((await start("all", [ownId, second.id])).ordinal).toBeGreaterThan(second.ordinal);
  });

  rule("`windowMs` leaves out those created longer ago.", async ({ steps }) => {
    const start = (windowMs: number) =>
      steps.createOne({ deduplication: aKey("k", { strategy: "all", windowMs }) });
    const first = await start(minuteMs);
    expect((await start(minuteMs)).id).toBe(first.id);
    await steps.untilStoreTime(new Date(first.createdAt.getTime() + 2));
    expect((await start(1)).id).not.toBe(first.id);
    expect((await start(thirtyDaysMs)).id).not.toBeUndefined();
  });

  rule(
    "Two elements of one call with the same key: the second is deduplicated to the first.",
    async ({ steps, stateAdapter }) => {
      const created = await stateAdapter.createJobs({
        jobs: [
          aJob({ input: "1", deduplication: aKey("k") }),
          aJob({ input: "2" }),
          aJob({ input: "3", deduplication: aKey("k") }),
          aJob({ input: "4", deduplication: aKey("k", { strategy: "all" }) }),
        ],
      });
      expect(created.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true, true]);
      const [first, , third, fourth] = created;
      expect([third?.job.id, fourth?.job.id]).toEqual([first?.job.id, first?.job.id]);
      expect(await steps.acquire({ limit: 10 })).toHaveLength(2);
    },
  );

  rule("a transaction sees its own key", async ({ openTransaction }) => {
    const { steps, commit } = await openTransaction();
    const first = await steps.createOne({ deduplication: aKey("k") });
    expect((await steps.createOne({ deduplication: aKey("k") })).id).toBe(first.id);
    await commit();
  });

  rule("keys differ by every character", async ({ steps }) => {
    const keys = ["k", "K", "k ", "ḱ", "k\u0301", "a:b", "a", "b", "%", "_", "'", '"', "\\"];
    const created = await steps.create(...keys.map((key) => ({ deduplication: aKey(key) })));
    expect(new Set(created.map(({ id }) => id)).size).toBe(keys.length);
    expect(created.map(({ deduplicationKey }) => deduplicationKey)).toEqual(keys);
  });
});

export const createJobsSuites: readonly StateSuite[] = [
  stored,
  waiting,
  payloadRules,
  deduplication,
];
