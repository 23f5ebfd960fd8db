// Code that is loaded late must not move a call out of its transaction, nor a worker out of the reach of `close`.
import { describe, expect, it } from "vitest";
import {
  createInProcessStateAdapter,
  createQueuert,
  defineUnionJobTypes,
  type Log,
} from "../src/index.ts";

const createClient = async (log?: Log) =>
  createQueuert({
    log,
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions: defineUnionJobTypes<{ mail: { input: null; output: null } }>(),
  });

const startMail = { autocommit: true, typeName: "mail", input: null } as const;

describe("a call that is loaded late", () => {
  it("is rolled back with its transaction, though it is not awaited", async () => {
    const queuert = await createClient();
    const { id } = await queuert.startJobSequence(startMail);
    const pending: Promise<unknown>[] = [];
    const rolledBack = queuert.transaction(async (context) => {
      pending.push(queuert.cancelJobSequences({ ...context, ids: [id] }));
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    await Promise.allSettled(pending);
    expect(await queuert.getJob({ id })).toMatchObject({ status: "pending" });
    await queuert.close();
  });

  it("is committed with its transaction, which waits for it", async () => {
    const queuert = await createClient();
    const { id } = await queuert.startJobSequence(startMail);
    await queuert.transaction(async (context) => {
      void queuert.cancelJobSequences({ ...context, ids: [id] });
    });
    expect(await queuert.getJob({ id })).toMatchObject({ status: "cancelled" });
    await queuert.close();
  });
});

describe("a client that is closed while the code of a worker is loaded", () => {
  it("resolves when the worker has stopped", async () => {
    const events: string[] = [];
    const queuert = await createClient(({ type }) => events.push(type));
    const starting = queuert
      .createWorker()
      .implementJobType({ typeName: "mail", process: async ({ complete }) => complete(null) })
      .start();
    expect(events).not.toContain("workerStarted");
    await queuert.close();
    expect(events).toContain("workerStarted");
    expect(events).toContain("workerStopped");
    await (await starting).stop();
  });
});
