import { expect } from "vitest";
import { graceMs, settlesWithin } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import type { BehaviourCaseContext } from "./behaviour-case.ts";
import { interceptState } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

const thrown = new Error("thrown on purpose");

/** A client whose start of a "slow" job stands at a gate before its statement is sent. */
const openWithSlowStart = async ({ open, gate, stateAdapter }: BehaviourCaseContext) => {
  const held = gate();
  const slow = interceptState(stateAdapter, {
    before: (operation, params) =>
      operation === "createJobs" && JSON.stringify(params, withoutContext).includes('"slow"')
        ? held.pass()
        : undefined,
  });
  return { client: await open({ stateAdapter: slow }), held };
};

/** A context may hold a client, which is no JSON. */
const withoutContext = (key: string, value: unknown): unknown =>
  key === "context" ? undefined : value;

const endingCode = { code: "QUEUERT_TRANSACTION_ENDING" };

export const transactingSuite: BehaviourSuite = defineBehaviourSuite("transacting", (rule) => {
  rule("a callback that throws undoes the calls still under way in it", async (context) => {
    const { client, held } = await openWithSlowStart(context);
    const transacting = client.queuert.transaction(async (tx) => {
      const slow = client.startIn(tx, "slow");
      await held.arrived();
      await Promise.all([slow, Promise.reject(thrown)]);
    });
    const ended = rejection(transacting);
    await held.arrived();
    expect(await settlesWithin(ended, graceMs)).toBe(false);
    held.open();
    expect(await ended).toBe(thrown);
    expect((await client.queuert.listJobs()).items).toEqual([]);
    expect(client.events.of("jobCreated")).toEqual([]);
  });

  rule("a call that was not awaited commits with its transaction", async (context) => {
    const { client, held } = await openWithSlowStart(context);
    let slow: Promise<unknown> = Promise.resolve();
    const transacting = client.queuert.transaction(async (tx) => {
      slow = client.startIn(tx, "slow");
      await held.arrived();
    });
    await held.arrived();
    expect(await settlesWithin(transacting, graceMs)).toBe(false);
    held.open();
    await transacting;
    await slow;
    expect((await client.queuert.listJobs()).items).toMatchObject([{ typeName: "slow" }]);
    expect(client.events.of("jobCreated")).toHaveLength(1);
  });

  rule("a call made when the callback has ended is refused", async (context) => {
    const { client, held } = await openWithSlowStart(context);
    let late: object = {};
    const transacting = client.queuert.transaction(async (tx) => {
      late = tx;
      const slow = client.startIn(tx, "slow");
      await held.arrived();
      await Promise.all([slow, Promise.reject(thrown)]);
    });
    const ended = rejection(transacting);
    await held.arrived();
    expect(await settlesWithin(ended, graceMs)).toBe(false);
    expect(await rejection(client.startIn(late, "task"))).toMatchObject(endingCode);
    held.open();
    expect(await ended).toBe(thrown);
    expect(await rejection(client.startIn(late, "task"))).toMatchObject({
      code: expect.stringMatching(/^QUEUERT_/),
    });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule(
    "a complete callback that throws undoes the calls still under way in it",
    async (context) => {
      const { client, held } = await openWithSlowStart(context);
      const started = await client.start("task");
      await client.work({
        task: {
          retryConfig: { maxAttempts: 1 },
          process: async ({ complete }) =>
            complete(async (tx) => {
              const slow = client.startIn(tx, "slow");
              await held.arrived();
              await Promise.all([slow, Promise.reject(thrown)]);
              return null;
            }),
        },
      });
      await held.arrived();
      const failed = client.until(started, "failed");
      expect(await settlesWithin(failed, graceMs)).toBe(false);
      held.open();
      await failed;
      const { items } = await client.queuert.listJobs();
      expect(items.map(({ id }) => id)).toEqual([started.id]);
    },
  );

  rule("a start with `autocommit` is stored and notified once", async ({ open, openSecond }) => {
    const client = await open();
    const { queuert } = client;
    const one = await queuert.startJobSequence({ autocommit: true, typeName: "task", input: 1 });
    const many = await queuert.startJobSequences({
      autocommit: true,
      sequences: [2, 3].map((input) => ({ typeName: "task", input }) as const),
    });
    const task = { autocommit: true, typeName: "task", input: null } as const;
    const keyed = await queuert.startJobSequence({ ...task, deduplication: { key: "k" } });
    const found = await queuert.startJobSequence({ ...task, deduplication: { key: "k" } });
    expect(found).toMatchObject({ id: keyed.id, deduplicated: true });
    let blockerId = "";
    const waiting = await queuert.startJobSequence({
      autocommit: true,
      typeName: "waiting",
      input: null,
      startBlockers: async (context) => {
        const { job, ...transaction } = context;
        const blocker = await queuert.startJobSequence({
          ...transaction,
          typeName: "task",
          input: 4,
        });
        blockerId = blocker.id;
        expect(blocker).toMatchObject({ originId: job.id });
        return [blocker];
      },
    });
    expect(waiting.status).toBe("blocked");
    const started = [one, ...many, keyed, waiting].map(({ id }) => id).concat(blockerId);
    // As another connection sees it.
    const { items } = await (await openSecond()).queuert.listJobs({ order: "asc" });
    expect(items.map(({ id }) => id)).toEqual(started);
    expect(new Set(client.events.of("jobCreated").map(({ id }) => id))).toEqual(new Set(started));
    expect(client.events.of("jobCreated")).toHaveLength(started.length);
    expect(client.events.of("notifyContextAbsence")).toEqual([]);
  });

  rule("a start with `autocommit` is not part of a transaction around it", async (context) => {
    const { open, capabilities } = context;
    if (!capabilities.concurrentWriters) return;
    const client = await open();
    let id = "";
    const rolledBack = client.queuert.transaction(async (tx) => {
      await client.startIn(tx, "other");
      const task = { autocommit: true, typeName: "task", input: null } as const;
      ({ id } = await client.queuert.startJobSequence(task));
      throw thrown;
    });
    expect(await rejection(rolledBack)).toBe(thrown);
    expect((await client.queuert.listJobs()).items).toMatchObject([{ id }]);
    expect(client.events.of("jobCreated")).toMatchObject([{ id }]);
  });

  rule("a start needs a context or `autocommit`, and not both", async (context) => {
    const { open } = context;
    const client = await open();
    expect(await rejection(client.startIn({}, "task"))).toMatchObject({
      code: "QUEUERT_NOT_IN_TRANSACTION",
      message: expect.stringMatching(/queuert\.transaction.*autocommit: true/),
    });
    const both = client.queuert.transaction((tx) =>
      client.startIn({ ...tx, autocommit: true }, "task"),
    );
    expect(await rejection(both)).toMatchObject({ option: "autocommit" });
    const inside = client.queuert.transaction((tx) =>
      client.startIn(tx, "waiting", {
        startBlockers: async () => [await client.startIn({ autocommit: true }, "task")],
      }),
    );
    expect(await rejection(inside)).toMatchObject({ option: "autocommit" });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a start is refused with the commit of its transaction", async (context) => {
    const { open, stateAdapter } = context;
    const refusing = interceptState(stateAdapter, {
      beforeCommit: () => {
        throw thrown;
      },
    });
    const client = await open({ stateAdapter: refusing });
    const refused = client.queuert.transaction((tx) =>
      client.queuert.startJobSequence({ ...tx, typeName: "task", input: null }),
    );
    expect(await rejection(refused)).toBe(thrown);
    expect((await client.queuert.listJobs()).items).toEqual([]);
    expect(client.events.of("jobCreated")).toEqual([]);
  });

  rule("a call beside the last start of a transaction is never stored alone", async (it) => {
    const { open, stateAdapter, gate } = it;
    const held = gate();
    const refusing = interceptState(stateAdapter, {
      before: (operation) => (operation === "createJobs" ? held.pass() : undefined),
      beforeCommit: () => {
        throw thrown;
      },
    });
    const client = await open({ stateAdapter: refusing });
    let context: object = {};
    const ended = rejection(
      client.queuert.transaction((tx) => {
        context = tx;
        return client.queuert.startJobSequence({ ...tx, typeName: "task", input: null });
      }),
    );
    await held.arrived();
    // A call without an awaiter is refused, or is part of the transaction.
    const stray = client.startIn(context, "other").catch((error: unknown) => error);
    held.open();
    expect(await ended).toBe(thrown);
    const answer = await stray;
    if (answer instanceof Error && "code" in answer) expect(answer).toMatchObject(endingCode);
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("effects follow the transaction of their own context", async ({ open, stateAdapter }) => {
    const client = await open();
    const own = (): Promise<{ readonly id: string }> =>
      stateAdapter.runInTransaction((tx) => client.startIn(tx, "task"));
    const started: { readonly id: string }[] = [];
    // Two transactions overlap and the outer one rolls back: the starts of the other are notified.
    const overlapping = client.queuert.transaction(async (tx) => {
      if (stateAdapter.capabilities.concurrentWriters) started.push(await own());
      await client.startIn(tx, "other");
      throw thrown;
    });
    expect(await rejection(overlapping)).toBe(thrown);
    if (started.length === 0) started.push(await own());
    await client.events.until("jobCreated");
    expect(client.events.of("jobCreated")).toMatchObject([{ id: started[0]?.id }]);
  });

  rule(
    "with one writer, a write outside the open transaction around it is refused at once",
    async ({ open, capabilities }) => {
      const client = await open();
      const task = { autocommit: true, typeName: "task", input: null } as const;
      const { id } = await client.queuert.startJobSequence(task);
      const writes = [
        () => client.queuert.startJobSequence(task),
        () => client.queuert.startJobSequence({ ...task, deduplication: { key: "k" } }),
        () => client.queuert.triggerJobs({ ids: [id] }),
        () => client.queuert.retryFailedJobs({ ids: [id] }),
      ];
      for (const write of capabilities.concurrentWriters ? [] : writes) {
        const inside = client.queuert.transaction(async () => {
          await Promise.resolve();
          return write();
        });
        expect(await rejection(inside)).toMatchObject({ code: "QUEUERT_PROCESS_MISUSE" });
      }
      const nested = client.queuert.transaction(async () => {
        await Promise.resolve();
        return client.queuert.transaction((tx) => client.startIn(tx, "task"));
      });
      if (capabilities.concurrentWriters) expect(await nested).toMatchObject({ typeName: "task" });
      else expect(await rejection(nested)).toMatchObject({ code: "QUEUERT_PROCESS_MISUSE" });
    },
  );
});
