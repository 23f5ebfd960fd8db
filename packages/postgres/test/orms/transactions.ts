// Rows of the user and jobs in the transactions of an ORM: stored together, or not at all.
import { aJob } from "queuert/testing";
import { describe, expect, it } from "vitest";
import type { OpenOrm } from "./orm-client.ts";
import { type OrmRig, useOrmRig } from "./orm-rig.ts";

const rolledBack = new Error("rolled back on purpose");
const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };
const job = { typeName: "first", input: { fails: false } } as const;

export const describeTransactions = (open: OpenOrm): void => {
  describe("transactions of the ORM", () => {
    const rig = useOrmRig(open);
    testCommits(rig);
    testEnds(rig);
  });
};

const testCommits = (rig: OrmRig): void => {
  it("a start commits and rolls back with the user's rows", async () => {
    const { orm, queuert, counts } = rig;
    const start = (ending: () => void) =>
      orm.transaction(async (context) => {
        await orm.insert(context, "row");
        await queuert.startJobSequence({ ...context, ...job });
        ending();
      });
    await start(() => undefined);
    const failing = start(() => {
      throw rolledBack;
    });
    await expect(failing).rejects.toThrow(rolledBack.message);
    expect(await counts()).toEqual({ rows: 1, jobs: 1 });
  });

  it("the completion, the user's rows and the next job commit and roll back together", async () => {
    const { orm, queuert, counts } = rig;
    const sequence = await queuert.startJobSequence({
      typeName: "first",
      input: { fails: true },
      autocommit: true,
    });
    const seen: unknown[] = [];
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "first",
        retryConfig: { initialDelayMs: 1, maxDelayMs: 1 },
        process: async ({ job: { attempt }, complete }) => {
          seen.push(await counts());
          return complete(async ({ continueWith, ...context }) => {
            await orm.insert(context, `attempt ${attempt}`);
            const next = await continueWith({ typeName: "next", input: null });
            if (attempt === 1) throw rolledBack;
            return next;
          });
        },
      })
      .implementJobType({
        typeName: "next",
        process: async ({ complete }) => complete({ last: true }),
      })
      .start();
    const done = await queuert.waitForJobSequenceCompletion({
      typeName: "first",
      id: sequence.id,
      timeoutMs: 20_000,
    });
    await worker.stop();
    expect(done.output).toEqual({ last: true });
    // Before each attempt: nothing of an attempt that failed.
    expect(seen).toEqual([
      { rows: 0, jobs: 1 },
      { rows: 0, jobs: 1 },
    ]);
    expect(await counts()).toEqual({ rows: 1, jobs: 2 });
  });

  it("a failed statement whose error is swallowed is reported at the end of `transaction`", async () => {
    const { orm, queuert, counts } = rig;
    const transaction = queuert.transaction(async (context) => {
      await orm.insert(context, "row");
      await queuert.startJobSequence({ ...context, ...job });
      await orm.insert(context, "\0").catch(() => undefined);
    });
    await expect(transaction).rejects.toMatchObject({ code: "QUEUERT_PG_TRANSACTION_ABORTED" });
    expect(await counts()).toEqual({ rows: 0, jobs: 0 });
  });
};

const testEnds = (rig: OrmRig): void => {
  it("a transaction that is kept refuses, also while its connection is in the next one", async () => {
    const kept: object[] = [];
    const { orm, queuert, stateAdapter, counts } = rig;
    await orm.transaction(async (context) => {
      kept.push(context);
      await queuert.startJobSequence({ ...context, ...job });
    });
    const [stale] = kept as [object];
    const next = orm.transaction(async (context) => {
      await orm.insert(context, "row of the next");
      const late = queuert.startJobSequence({ ...stale, ...job });
      await expect(late).rejects.toMatchObject(refusal);
      const write = stateAdapter.createJobs({ context: stale, jobs: [aJob()] });
      await expect(write).rejects.toMatchObject(refusal);
      throw rolledBack;
    });
    await expect(next).rejects.toThrow(rolledBack.message);
    expect(await counts()).toEqual({ rows: 0, jobs: 1 });
  });

  it.each(["COMMIT", "ROLLBACK"])(
    "a start that is not awaited is part of the transaction or refused: %s",
    async (end) => {
      const { orm, queuert, counts } = rig;
      const starting: Promise<readonly PromiseSettledResult<unknown>[]>[] = [];
      const transaction = orm.transaction(async (context) => {
        await orm.insert(context, "row");
        starting.push(Promise.allSettled([queuert.startJobSequence({ ...context, ...job })]));
        if (end === "ROLLBACK") throw rolledBack;
      });
      await Promise.allSettled([transaction]);
      const [outcome] = (await starting[0]) ?? [];
      if (outcome?.status === "rejected") expect(outcome.reason).toMatchObject(refusal);
      const isStored = end === "COMMIT" && outcome?.status === "fulfilled";
      expect(await counts()).toEqual({ rows: end === "COMMIT" ? 1 : 0, jobs: isStored ? 1 : 0 });
    },
  );
};
