import { expect } from "vitest";
import { limits } from "../../defaults.ts";
import { eventually } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { countStatements } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

const untilNoneLeft = async (
  client: BehaviourClient,
  typeName: "task" | "other",
): Promise<unknown> =>
  eventually(async () => {
    const { items } = await client.queuert.listJobs({ typeName, limit: 1 });
    return items.length === 0 ? true : undefined;
  }, `no job of type ${typeName} to be left`);

/** Deletes until some tree is old enough: more than 0 ms by the store's clock. */
const deleteSome = (
  client: BehaviourClient,
  retention: { readonly completedForMs?: number; readonly failedForMs?: number },
): Promise<number> =>
  eventually(async () => {
    const { jobCount } = await client.queuert.deleteFinishedJobSequences(retention);
    return jobCount > 0 ? jobCount : undefined;
  }, "something to be deleted");

const endOneOfEach = async (client: BehaviourClient) => {
  const completed = await client.start("task");
  const failed = await client.start("other");
  const worker = await client.work({
    task: async ({ complete }) => complete(null),
    other: { retryConfig: { maxAttempts: 1 }, process: () => Promise.reject(new Error("broken")) },
  });
  await client.until(completed);
  await client.until(failed, "failed");
  await worker.stop();
  return { completed, failed };
};

export const retainingSuite: BehaviourSuite = defineBehaviourSuite("retaining", (rule) => {
  rule("a sequence that finished long enough ago is deleted, by its status", async ({ open }) => {
    const client = await open();
    const { failed } = await endOneOfEach(client);
    const pending = await client.start("task");
    const { queuert } = client;
    const hour = { completedForMs: 3_600_000, failedForMs: 3_600_000 };
    expect(await queuert.deleteFinishedJobSequences(hour)).toEqual({ jobCount: 0 });
    expect(await deleteSome(client, { completedForMs: 0 })).toBe(1);
    const kept = (await queuert.listJobs({ order: "asc" })).items;
    expect(kept.map(({ id }) => id)).toEqual([failed.id, pending.id]);
    expect(await deleteSome(client, { failedForMs: 0 })).toBe(1);
    expect((await queuert.listJobs()).items.map(({ id }) => id)).toEqual([pending.id]);
    const told = client.events.of("jobSequencesDeleted");
    expect(told.map(({ jobCount }) => jobCount)).toEqual([1, 1]);
  });

  rule("many go in bounded statements", async ({ open, stateAdapter }) => {
    const { adapter, counts } = countStatements(stateAdapter);
    const client = await open({ stateAdapter: adapter });
    const count = limits.retentionBatchMax + 5;
    const { queuert } = client;
    const started = await queuert.transaction((tx) =>
      queuert.startJobSequences({
        ...tx,
        sequences: Array.from(
          { length: count },
          () => ({ typeName: "task", input: null }) as const,
        ),
      }),
    );
    const worker = await client.work({ task: async ({ complete }) => complete(null) });
    for (const one of started) await client.until(one);
    await worker.stop();
    const marker = await client.start("other");
    await deleteSome(client, { completedForMs: 0 });
    await eventually(async () => {
      await queuert.deleteFinishedJobSequences({ completedForMs: 0 });
      const { items } = await queuert.listJobs({ limit: 2 });
      return items.length === 1 ? true : undefined;
    }, "all of them to be deleted");
    expect(counts.get("deleteFinishedSequences")).toBeGreaterThanOrEqual(2);
    for (const { jobCount } of client.events.of("jobSequencesDeleted")) {
      expect(jobCount).toBeLessThanOrEqual(limits.retentionBatchMax);
    }
    expect((await queuert.listJobs()).items.map(({ id }) => id)).toEqual([marker.id]);
  });

  rule("a worker with a retention deletes beside its work", async ({ open }) => {
    const client = await open();
    const { failed } = await endOneOfEach(client);
    const worker = await client.work(
      { other: async ({ complete }) => complete(null) },
      { retention: { completedForMs: 0, intervalMs: 10 } },
    );
    await untilNoneLeft(client, "task");
    expect(await client.sequence(failed)).toMatchObject({ status: "failed" });
    await worker.stop();
  });

  rule("a retention that would delete nothing, or makes no sense, is refused", async ({ open }) => {
    const client = await open();
    const refused = { code: "QUEUERT_INVALID_OPTION" };
    const retain = (given: object): Promise<unknown> =>
      rejection(client.queuert.deleteFinishedJobSequences(given));
    for (const given of [{}, { completedForMs: null }, { failedForMs: -1 }]) {
      expect(await retain(given)).toMatchObject(refused);
    }
    const builder = client.queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(null) });
    for (const retention of [{}, { completedForMs: 1, intervalMs: 0 }]) {
      expect(await rejection(builder.start({ retention }))).toMatchObject(refused);
    }
  });
});
