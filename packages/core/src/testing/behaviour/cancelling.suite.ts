import { expect } from "vitest";
import { JobCancelledError } from "../../errors.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { sleep } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

/** Long enough for an effect that must not come. */
const quietMs = 150;

const nothingElse = { failed: 0, refused: [] };

const cancel = (
  client: BehaviourClient,
  job: { readonly id: string },
  options: Partial<Parameters<BehaviourClient["queuert"]["cancelJobSequences"]>[0]> = {},
) => client.queuert.cancelJobSequences({ ids: [job.id], ...options });

const start = (client: BehaviourClient, whenTaken?: "find" | "cancel") =>
  client.start("task", { deduplication: { key: "k", ...(whenTaken && { whenTaken }) } });

export const cancellingSuite: BehaviourSuite = defineBehaviourSuite("cancelling", (rule) => {
  rule("a cancelled job never runs, and keeps its reason", async ({ open }) => {
    const client = await open();
    const started = await client.start("task", { input: 1 });
    const other = await client.start("task", { input: 2 });
    expect(await cancel(client, started, { reason: "order withdrawn" })).toEqual({
      ...{ cancelled: 1, running: 0, ...nothingElse },
    });
    const inputs: unknown[] = [];
    await client.work({
      task: async ({ job, complete }) => {
        inputs.push(job.input);
        return complete(null);
      },
    });
    await client.until(other);
    expect(inputs).toEqual([2]);
    const fields = { status: "cancelled", cancelReason: "order withdrawn" };
    expect(await client.job(started)).toMatchObject(fields);
    expect(await client.sequence(started)).toMatchObject(fields);
    const job = await client.job(started);
    expect(job.status === "cancelled" ? job.cancelledAt : null).toBeInstanceOf(Date);
    const { items } = await client.queuert.listJobs({ status: ["cancelled"] });
    expect(items.map(({ id }) => id)).toEqual([started.id]);
    expect(client.events.of("jobCancelled")).toMatchObject([
      { id: started.id, typeName: "task", reason: "order withdrawn" },
    ]);
    expect(client.events.of("jobFailed")).toEqual([]);
  });

  rule("the handler is told at once, and nothing of it is stored", async (context) => {
    const { open, openSecond, gate, userRows } = context;
    const client = await open();
    const second = await openSecond();
    const held = gate();
    const reasons: (JobAbortReason | undefined)[] = [];
    const errors: unknown[] = [];
    const started = await client.start("task");
    await client.work({
      task: {
        // Without a notification, the renewal tells it.
        leaseConfig: { leaseMs: 2_000, renewIntervalMs: 100 },
        process: async ({ signal, complete }) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            held.open();
          });
          await held.pass();
          const completing = complete(async (tx) => {
            await userRows.insert(tx, "cancelled");
            return null;
          });
          completing.catch((error: unknown) => errors.push(error));
          return completing;
        },
      },
    });
    await held.arrived();
    expect(await cancel(second, started)).toEqual({ cancelled: 1, running: 1, ...nothingElse });
    await client.events.until("jobAttemptCancelled");
    await sleep(quietMs);
    expect(reasons).toEqual(["cancelled"]);
    expect(errors).toMatchObject([{ code: "QUEUERT_JOB_ABORTED", reason: "cancelled" }]);
    expect(await userRows.list()).toEqual([]);
    expect((await client.job(started)).status).toBe("cancelled");
    expect(client.events.of("jobAttemptFailed")).toEqual([]);
  });

  rule("a handler that ends in spite of its signal stores nothing", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("first");
    await client.work({
      first: async ({ complete }) => {
        await held.pass();
        return complete.continueWith({ typeName: "next", input: null });
      },
      next: async ({ complete }) => complete("ran"),
    });
    await held.arrived();
    await cancel(client, started);
    held.open();
    await client.events.until("jobAttemptCancelled");
    await sleep(quietMs);
    const { items } = await client.queuert.listJobs();
    expect(items.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  rule(
    "in a transaction that is rolled back, the attempt goes on untold",
    async ({ open, gate }) => {
      const client = await open();
      const held = gate();
      const reasons: unknown[] = [];
      const started = await client.start("task");
      await client.work({
        task: async ({ signal, complete }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await held.pass();
          return complete("done");
        },
      });
      await held.arrived();
      const rolledBack = new Error("rolled back on purpose");
      const running = client.transact(async (tx) => {
        await client.queuert.cancelJobSequences({ ...tx, ids: [started.id] });
        throw rolledBack;
      });
      expect(await rejection(running)).toBe(rolledBack);
      held.open();
      expect(await client.until(started)).toMatchObject({ output: "done" });
      expect(reasons).toEqual([]);
      expect(client.events.of("jobCancelled")).toEqual([]);
    },
  );

  rule("a waiter gets JobSequenceCancelledError", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    // Handled at once: the waiter may hear of it before the cancelling call has returned.
    const waiting = rejection(
      client.queuert.waitForJobSequenceCompletion({
        ...{ typeName: "task", id: started.id, timeoutMs: 20_000 },
      }),
    );
    await cancel(client, started, { reason: "no longer wanted" });
    const expected = {
      code: "QUEUERT_JOB_SEQUENCE_CANCELLED",
      ...{ sequenceId: started.id, jobId: started.id, cancelReason: "no longer wanted" },
    };
    expect(await waiting).toMatchObject(expected);
    const later = client.queuert.waitForJobSequenceCompletion({
      ...{ typeName: "task", id: started.id, timeoutMs: 20_000 },
    });
    expect(await rejection(later)).toMatchObject(expected);
  });

  rule("its tree is cancelled with it, and no job is stranded", async ({ open }) => {
    const client = await open();
    const root = await client.transact((tx) =>
      client.startIn(tx, "waiting", {
        startBlockers: async () => [await client.startIn(tx, "task")],
      }),
    );
    const child = await client.start("other", { parent: root });
    const outside = await client.transact((tx) =>
      client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([root]) }),
    );
    expect(await rejection(cancel(client, root))).toMatchObject({
      code: "QUEUERT_SEQUENCES_STILL_BLOCKING",
      dependantSequenceIds: [outside.id],
      message: expect.stringContaining("Nothing was cancelled") as string,
    });
    expect((await client.job(root)).status).toBe("blocked");
    expect(await cancel(client, root, { dependants: "fail" })).toEqual({
      ...{ cancelled: 3, running: 0, failed: 1, refused: [] },
    });
    expect((await client.job(child)).status).toBe("cancelled");
    expect(await client.job(outside)).toMatchObject({
      status: "failed",
      lastAttemptError: `Blocker sequence ${root.id} was cancelled`,
    });
    expect(client.events.of("jobFailed")).toMatchObject([{ id: outside.id }]);
    expect(await client.queuert.retryFailedJobs({ ids: [outside.id] })).toEqual([
      { id: outside.id, retried: false, reason: "blocker_cancelled" },
    ]);
    // It never runs again, so it can be put away like the others.
    expect(await cancel(client, outside)).toMatchObject({ cancelled: 1, refused: [] });
    expect((await client.job(outside)).status).toBe("cancelled");
  });

  rule("dependants can be cancelled too", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task");
    const waiting = await client.transact((tx) =>
      client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([blocker]) }),
    );
    expect(await cancel(client, blocker, { dependants: "cancel" })).toEqual({
      ...{ cancelled: 2, running: 0, ...nothingElse },
    });
    expect((await client.sequence(waiting)).status).toBe("cancelled");
  });

  rule("ids that cannot be cancelled are answered with the reason", async ({ open }) => {
    const client = await open();
    const gone = await client.start("task");
    await client.transact((tx) =>
      client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [gone.id] }),
    );
    const started = await client.start("task");
    await cancel(client, started);
    const result = await client.queuert.cancelJobSequences({ ids: [gone.id, started.id] });
    expect(result).toEqual({
      ...{ cancelled: 0, running: 0, failed: 0 },
      refused: [
        { id: gone.id, reason: "not_found" },
        { id: started.id, reason: "already_ended" },
      ],
    });
  });

  rule("bad options are refused before anything is written", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    for (const [option, value] of [
      ["tree", "yes"],
      ["dependants", "keep"],
      ["reason", ""],
      ["reason", "x".repeat(1_001)],
      ["ids", started.id],
    ] as const) {
      const given = { ids: [started.id], [option]: value };
      const refused = client.queuert.cancelJobSequences(given as never);
      expect(await rejection(refused)).toMatchObject({
        code: expect.stringMatching(/^QUEUERT_(INVALID_OPTION|LIMIT_EXCEEDED)$/) as string,
      });
    }
    expect((await client.job(started)).status).toBe("pending");
  });

  rule("a handler that throws JobCancelledError cancels its own job", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("first");
    const child = await client.start("other", { parent: blocker });
    const waiting = await client.transact((tx) =>
      client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([blocker]) }),
    );
    await client.work({
      first: () => Promise.reject(new JobCancelledError("nothing to do")),
    });
    expect(await client.until(blocker, "cancelled")).toMatchObject({
      cancelReason: "nothing to do",
    });
    expect((await client.job(child)).status).toBe("cancelled");
    expect(await client.job(waiting)).toMatchObject({ status: "failed" });
    await client.events.until("jobCancelled", ({ id }) => id === blocker.id);
    expect(client.events.of("jobAttemptFailed")).toEqual([]);
    expect(client.events.of("jobAttemptCancelled")).toEqual([]);
  });

  rule("a JobCancelledError in a callback of complete stores nothing of it", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: async ({ complete }) =>
        complete(async (tx) => {
          await userRows.insert(tx, "withdrawn");
          throw new JobCancelledError();
        }),
    });
    expect(await client.until(started, "cancelled")).toMatchObject({ cancelReason: null });
    expect(await userRows.list()).toEqual([]);
  });

  rule('`whenTaken: "cancel"` cancels the sequence that holds the key', async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const reasons: unknown[] = [];
    const first = await start(client);
    await client.work(
      {
        task: async ({ job, signal, complete }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          if (job.id === first.id) await held.pass();
          return complete("done");
        },
      },
      { concurrency: 2 },
    );
    await held.arrived();
    const second = await start(client, "cancel");
    expect(second.deduplicated).toBe(false);
    expect(second.id).not.toBe(first.id);
    expect(await client.sequence(first)).toMatchObject({ status: "cancelled" });
    expect(await client.until(second)).toMatchObject({ output: "done" });
    await client.events.until("jobAttemptCancelled");
    expect(reasons).toEqual(["cancelled"]);
  });

  rule(
    "of many starts that replace each other one sequence is left",
    async ({ open, openSecond }) => {
      const clients = [await open(), await openSecond()];
      const started = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          start(clients[index % 2] as BehaviourClient, "cancel"),
        ),
      );
      expect(new Set(started.map(({ id }) => id)).size).toBe(8);
      const [client] = clients as [BehaviourClient];
      const { items } = await client.queuert.listJobSequences();
      const pending = items.filter(({ status }) => status === "pending");
      expect(pending).toHaveLength(1);
      expect(items.filter(({ status }) => status === "cancelled")).toHaveLength(7);
    },
  );

  rule("all sequences that hold the key give way, also if there are several", async ({ open }) => {
    const client = await open();
    const first = await start(client);
    const second = await client.start("task", {
      deduplication: { key: "k", excludeSequenceIds: [first.id] },
    });
    expect(second.id).not.toBe(first.id);
    const last = await start(client, "cancel");
    const { items } = await client.queuert.listJobSequences();
    const byStatus = (status: string): readonly string[] =>
      items.flatMap((item) => (item.status === status ? [item.id] : [])).sort();
    expect(byStatus("pending")).toEqual([last.id]);
    expect(byStatus("cancelled")).toEqual([first.id, second.id].sort());
  });

  rule("a key whose holder others wait for is refused, and nothing is stored", async ({ open }) => {
    const client = await open();
    const first = await start(client);
    const waiting = await client.transact((tx) =>
      client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([first]) }),
    );
    const refused = await client.transact(async (tx) => {
      const starting = client.queuert.startJobSequences({
        ...tx,
        sequences: [
          { typeName: "other", input: null },
          { typeName: "task", input: null, deduplication: { key: "k", whenTaken: "cancel" } },
        ],
      });
      return rejection(starting);
    });
    expect(refused).toMatchObject({ code: "QUEUERT_SEQUENCES_STILL_BLOCKING" });
    const { items } = await client.queuert.listJobs();
    expect(items.map(({ id }) => id).sort()).toEqual([first.id, waiting.id].sort());
    expect(items.some(({ status }) => status === "cancelled")).toBe(false);
  });

  rule("deletion takes the trees that wait along, if asked", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task");
    const waiting = await client.transact((tx) =>
      client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([blocker]) }),
    );
    const last = await client.transact((tx) =>
      client.startIn(tx, "waiting", { startBlockers: () => Promise.resolve([waiting]) }),
    );
    const kept = await client.start("other");
    const deleted = await client.transact((tx) =>
      client.queuert.deleteJobSequences({
        ...tx,
        rootSequenceIds: [blocker.id],
        dependants: "delete",
      }),
    );
    expect(deleted).toEqual({ jobCount: 3 });
    expect((await client.queuert.listJobs()).items.map(({ id }) => id)).toEqual([kept.id]);
    expect(last.deduplicated).toBe(false);
  });
});
