// The races between jobs that begin to wait for a sequence and the transaction that ends it. Beyond the
// shared suites, these are the effects of snapshots. No transaction is run again, unless the case is about that.
import { providedMongodb } from "@queuert/test-services/provided";
import {
  createStateSteps,
  defineStateSuite,
  deferred,
  describeStateSuites,
  extendWithCommon,
  graceMs,
  settlesWithin,
  type StateCaseContext,
  type StateSteps,
  within,
} from "queuert/testing";
import type { StateJob } from "queuert/internal";
import { expect, it } from "vitest";
import { MongoTransactionAbortedError } from "../src/index.ts";
import { extendWithStateMongodb } from "../src/testing.ts";

const release = async ({ steps }: StateCaseContext, id: string): Promise<void> => {
  expect((await steps.acquire({ limit: 9 })).map(({ job }) => job.id)).toEqual([id]);
};

/** Sequences without waiters, and with an earlier one. */
const states = [
  {
    name: "without waiters",
    prepare: (steps: StateSteps, typeName = "blocker") => steps.createRunning({ typeName }),
  },
  {
    name: "with an earlier waiter",
    prepare: async (steps: StateSteps, typeName = "blocker") => {
      const blocker = await steps.createRunning({ typeName });
      await steps.createBlocked([blocker], { typeName: "earlier" });
      return blocker;
    },
  },
];

const waiting = defineStateSuite("a job that begins to wait", (rule) => {
  for (const { name, prepare } of states) {
    rule(`many at once for one sequence ${name}: none is aborted`, async (test) => {
      const blocker = await prepare(test.steps);
      const all = await Promise.all(Array.from({ length: 12 }, () => test.openTransaction()));
      // All jobs wait before the first transaction commits.
      await within(
        Promise.all(all.map((each) => each.steps.createBlocked([blocker]))),
        "twelve open transactions",
      );
      for (const each of all) await each.commit();
      await test.steps.complete(blocker);
      expect(await test.steps.acquire({ limit: 20 })).toHaveLength(12);
    });

    rule(`two for two sequences ${name}, in opposite order: none is aborted`, async (test) => {
      const [a, b] = [await prepare(test.steps, "a"), await prepare(test.steps, "b")];
      const [one, two] = [await test.openTransaction(), await test.openTransaction()];
      await Promise.all([one.steps.createBlocked([a]), two.steps.createBlocked([b])]);
      await within(
        Promise.all([one.steps.createBlocked([b]), two.steps.createBlocked([a])]),
        "the opposite order",
      );
      await one.commit();
      await two.commit();
    });

    rule(`waits for a transaction that ends a sequence ${name}`, async (test) => {
      for (const end of ["commit", "rollback"] as const) {
        const blocker = await prepare(test.steps, end);
        const ending = await test.openTransaction();
        await ending.steps.complete(blocker);
        const beginning = await test.openTransaction(test.secondStateAdapter);
        const begun = beginning.steps.createBlocked([blocker]);
        expect(await settlesWithin(begun, graceMs)).toBe(false);
        await ending[end]();
        const { status } = await within(begun, "the waiter");
        expect(status).toBe(end === "commit" ? "pending" : "blocked");
        await beginning.commit();
      }
    });
  }

  rule("sees that the sequence was continued meanwhile", async (test) => {
    const { steps } = test;
    const blocker = await steps.createRunning({ typeName: "blocker" });
    const continuing = await test.openTransaction();
    const next = await continuing.steps.continueWith(blocker);
    const beginning = await test.openTransaction(test.secondStateAdapter);
    const begun = beginning.steps.createBlocked([blocker]);
    expect(await settlesWithin(begun, graceMs)).toBe(false);
    await continuing.commit();
    const { id } = await within(begun, "the waiter");
    await beginning.commit();
    await steps.complete(await steps.acquireOne({ typeName: next.typeName }));
    await release(test, id);
  });

  rule(
    "and whose transaction then ends the sequence conflicts once, and not again",
    async (test) => {
      const blocker = await test.steps.createRunning({ typeName: "blocker" });
      const attempt = (): Promise<StateJob> =>
        test.runInTransaction(async (context) => {
          const steps = createStateSteps(test.stateAdapter, context);
          const job = await steps.createBlocked([blocker]);
          await steps.complete(blocker);
          return steps.get(job);
        });
      await expect(attempt()).rejects.toBeInstanceOf(MongoTransactionAbortedError);
      const job = await attempt();
      expect(job.status).toBe("pending");
      await release(test, job.id);
    },
  );

  rule(
    "for each other's sequences, which both end: at least one transaction goes on",
    async (test) => {
      const a = await test.steps.createRunning({ typeName: "a" });
      const b = await test.steps.createRunning({ typeName: "b" });
      const ended = [deferred<void>(), deferred<void>()];
      const cross = (own: StateJob, other: StateJob, index: number) =>
        test.holdTransaction(test.stateAdapter, async (steps) => {
          await steps.complete(own);
          ended[index]?.resolve();
          await Promise.all(ended.map(({ promise }) => promise));
          await steps.createBlocked([other]);
        });
      const both = [cross(a, b, 0), cross(b, a, 1)];
      for (const each of both) each.end("commit");
      await within(Promise.all(both.map(({ done }) => done)), "both", 15_000);
      expect(await test.steps.acquire({ limit: 9 })).toHaveLength(2);
    },
  );
});

const ending = defineStateSuite("a transaction that ends a sequence", (rule) => {
  for (const end of ["commit", "rollback"] as const) {
    rule(`by value, waits for jobs that begin to wait: ${end}`, async (test) => {
      for (const { name, prepare } of states) {
        const blocker = await prepare(test.steps, name);
        const beginning = await test.openTransaction();
        const { id } = await beginning.steps.createBlocked([blocker]);
        const completing = test.secondSteps.complete(blocker);
        expect(await settlesWithin(completing, graceMs)).toBe(false);
        await beginning[end]();
        expect(await within(completing, name)).toMatchObject({ kind: "completed" });
        if (end === "commit") await release(test, id);
        else expect(await test.steps.acquire()).toEqual([]);
      }
    });
  }

  for (const { name, prepare } of states) {
    rule(`with a snapshot from before the waiter runs again: ${name}`, async (test) => {
      const blocker = await prepare(test.steps);
      const old = await test.openTransaction();
      // Its snapshot is taken here.
      await old.steps.get(blocker);
      const { id } = await test.steps.createBlocked([blocker]);
      const completing = old.steps.complete(blocker);
      await expect(completing).rejects.toBeInstanceOf(MongoTransactionAbortedError);
      await old.rollback();
      expect((await test.steps.get(blocker)).status).toBe("running");
      const again = await test.openTransaction();
      await again.steps.complete(blocker);
      await again.commit();
      await release(test, id);
    });

    rule(`conflicts at once while the waiter's transaction is open: ${name}`, async (test) => {
      const blocker = await prepare(test.steps);
      const beginning = await test.openTransaction();
      await beginning.steps.createBlocked([blocker]);
      const late = await test.openTransaction(test.secondStateAdapter);
      const completing = within(late.steps.complete(blocker), "the conflict", 2_000);
      await expect(completing).rejects.toBeInstanceOf(MongoTransactionAbortedError);
      await late.rollback();
      await beginning.commit();
    });
  }

  rule("is not delayed by intents of waiters that were rolled back", async (test) => {
    const blocker = await test.steps.createRunning({ typeName: "blocker" });
    for (let round = 0; round < 3; round++) {
      const vain = await test.openTransaction();
      await vain.steps.createBlocked([blocker]);
      await vain.rollback();
    }
    const only = await test.openTransaction();
    expect(await only.steps.complete(blocker)).toMatchObject({ kind: "completed" });
    await only.commit();
  });

  rule(
    "by deletion conflicts with a job that begins to wait, and is refused later",
    async (test) => {
      const { stateAdapter, runInTransaction, isTransactionConflict } = test;
      const blocker = await test.steps.createCompleted({ typeName: "blocker" });
      const beginning = await test.openTransaction();
      const { id } = await beginning.steps.createBlocked([blocker]);
      const rootSequenceIds = [blocker.id];
      const remove = () =>
        runInTransaction((context) => stateAdapter.deleteSequences({ context, rootSequenceIds }));
      const refused = await within(
        remove().catch((error: unknown) => error),
        "the deletion",
      );
      expect(isTransactionConflict(refused)).toBe(true);
      await beginning.commit();
      expect(await remove()).toMatchObject({ kind: "blocking", edges: [{ jobId: id }] });
    },
  );
});

const options = (): { readonly url: string } => ({ url: providedMongodb().url });

describeStateSuites([waiting, ending], {
  it: extendWithStateMongodb(extendWithCommon(it), options),
});
