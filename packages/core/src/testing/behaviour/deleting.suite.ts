import { expect } from "vitest";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

const remove = (
  client: BehaviourClient,
  ...roots: readonly { readonly id: string }[]
): Promise<{ readonly jobCount: number }> =>
  client.queuert.transaction((tx) =>
    client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: roots.map(({ id }) => id) }),
  );

const startTree = (client: BehaviourClient) =>
  client.queuert.transaction((tx) =>
    client.startIn(tx, "waiting", {
      startBlockers: async () => [
        await client.startIn(tx, "task"),
        await client.startIn(tx, "other"),
      ],
    }),
  );

export const deletingSuite: BehaviourSuite = defineBehaviourSuite("deleting", (rule) => {
  rule("a whole tree goes, and nothing else", async ({ open }) => {
    const client = await open();
    const kept = await client.start("task");
    const root = await startTree(client);
    expect(await remove(client, root)).toEqual({ jobCount: 3 });
    const { items } = await client.queuert.listJobs();
    expect(items.map(({ id }) => id)).toEqual([kept.id]);
    expect(client.events.of("jobSequencesDeleted")).toEqual([
      { rootSequenceIds: [root.id], jobCount: 3 },
    ]);
  });

  rule("finished and failed jobs, and all jobs of a sequence, go too", async ({ open }) => {
    const client = await open();
    const completed = await client.start("first");
    const failed = await client.start("task");
    await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
      next: async ({ complete }) => complete(null),
      task: {
        retryConfig: { maxAttempts: 1 },
        process: () => Promise.reject(new Error("broken")),
      },
    });
    await client.until(completed);
    await client.until(failed, "failed");
    expect(await remove(client, completed, failed)).toEqual({ jobCount: 3 });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a tree that others wait for is refused, by their names", async ({ open }) => {
    const client = await open();
    const blocker = await client.start("task");
    const waiting = await client.start("waiting", {
      startBlockers: () => Promise.resolve([blocker]),
    });
    expect(await rejection(remove(client, blocker))).toMatchObject({
      code: "QUEUERT_SEQUENCES_STILL_BLOCKING",
      dependantSequenceIds: [waiting.id],
    });
    expect((await client.queuert.listJobs()).items).toHaveLength(2);
    expect(await remove(client, blocker, waiting)).toEqual({ jobCount: 2 });
  });

  rule("a sequence that is no root is refused", async ({ open }) => {
    const client = await open();
    const root = await startTree(client);
    const { items } = await client.queuert.listJobSequences({ typeName: "task" });
    const child = items[0] ?? root;
    expect(await rejection(remove(client, child))).toMatchObject({
      code: "QUEUERT_NOT_A_ROOT_SEQUENCE",
      sequenceIds: [child.id],
    });
    expect((await client.queuert.listJobs()).items).toHaveLength(3);
  });

  rule("ids that do not exist are no error", async ({ open }) => {
    const client = await open();
    const gone = await client.start("task");
    await remove(client, gone);
    expect(await remove(client, gone)).toEqual({ jobCount: 0 });
    expect(await remove(client)).toEqual({ jobCount: 0 });
  });

  rule("a deletion is rolled back with its transaction", async ({ open }) => {
    const client = await open();
    const root = await startTree(client);
    await rejection(
      client.queuert.transaction(async (tx) => {
        await client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [root.id] });
        throw new Error("rolled back on purpose");
      }),
    );
    expect((await client.queuert.listJobs()).items).toHaveLength(3);
    expect(client.events.of("jobSequencesDeleted")).toEqual([]);
  });

  rule("a deletion outside a transaction, and one of no ids, are refused", async (context) => {
    const { open, stateAdapter } = context;
    const client = await open();
    const { id } = await client.start("task");
    const outside = await stateAdapter.provideContext((none) =>
      rejection(client.queuert.deleteJobSequences({ ...none, rootSequenceIds: [id] })),
    );
    expect(outside).toMatchObject({ code: "QUEUERT_NOT_IN_TRANSACTION" });
    for (const rootSequenceIds of [undefined, id, [""], [5]]) {
      const error = await rejection(
        client.queuert.transaction((tx) =>
          // Bad input on purpose.
          client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: rootSequenceIds as never }),
        ),
      );
      expect(error).toMatchObject({ code: "QUEUERT_INVALID_OPTION", option: "rootSequenceIds" });
    }
    expect(await client.job({ id })).toMatchObject({ status: "pending" });
  });

  rule("a job deleted while it runs settles nothing, user writes included", async (context) => {
    const { open, gate, userRows } = context;
    const client = await open();
    const held = gate();
    const root = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete(async (tx) => {
          await userRows.insert(tx, "row");
          return null;
        });
      },
    });
    await held.arrived();
    expect(await remove(client, root)).toEqual({ jobCount: 1 });
    held.open();
    await client.events.until("jobAttemptNotFound");
    expect(await userRows.list()).toEqual([]);
    expect((await client.queuert.listJobs({ typeName: "task" })).items).toEqual([]);
    expect(client.events.of("jobCompleted")).toEqual([]);
  });
});
