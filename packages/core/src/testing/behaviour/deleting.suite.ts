import { expect } from "vitest";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { sleep } from "../waiting.ts";
import { rejection } from "./rejection.ts";

/** For how long one transaction is held open beside another. */
const besideMs = 100;

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

  rule("a sequence with a parent is listed and deleted with its tree", async ({ open }) => {
    const client = await open();
    const root = await client.start("first");
    await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
      next: async ({ job, complete }) =>
        complete(async (tx) => {
          await client.startIn(tx, "task", { parent: job });
          return null;
        }),
    });
    const { currentJobId } = await client.until(root);
    const [child] = (await client.queuert.listJobSequences({ typeName: "task" })).items;
    expect(child).toMatchObject({ rootSequenceId: root.id, originId: currentJobId });
    const grandchild = await client.start("other", { parent: child });
    expect(grandchild).toMatchObject({ rootSequenceId: root.id, originId: child?.id });
    const listed = await client.queuert.listJobSequences({ rootSequenceId: root.id, order: "asc" });
    expect(listed.items.map(({ id }) => id)).toEqual([root.id, child?.id, grandchild.id]);
    expect(await remove(client, root)).toEqual({ jobCount: 4 });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a parent that does not exist is refused, and nothing is started", async ({ open }) => {
    const client = await open();
    const gone = await client.start("task");
    await remove(client, gone);
    expect(await rejection(client.start("task", { parent: gone }))).toMatchObject({
      code: "QUEUERT_JOB_NOT_FOUND",
      jobId: gone.id,
    });
    const autocommit = client.queuert.startJobSequence({
      typeName: "task",
      input: null,
      autocommit: true,
      parent: gone,
    });
    expect(await rejection(autocommit)).toMatchObject({ code: "QUEUERT_JOB_NOT_FOUND" });
    // Bad input on purpose.
    for (const parent of [null, "id", { id: 5 }, { id: gone.id, sequenceId: "" }] as never[]) {
      expect(await rejection(client.start("task", { parent }))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a sequence that is found by its key stays in its own tree", async ({ open }) => {
    const client = await open();
    const parent = await client.start("other");
    const deduplication = { key: "key" };
    const found = await client.start("task", { deduplication });
    const again = await client.start("task", { deduplication, parent });
    expect(again).toMatchObject({ id: found.id, deduplicated: true, rootSequenceId: found.id });
    expect(await remove(client, parent)).toEqual({ jobCount: 1 });
  });

  rule("a deletion beside the start of a child deletes the child too", async ({ open, gate }) => {
    const client = await open();
    const parent = await client.start("other");
    const held = gate();
    const starting = client.transact(async (tx) => {
      await client.startIn(tx, "task", { parent });
      await held.pass();
    });
    await held.arrived();
    const deleting = client.transact((tx) =>
      client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [parent.id] }),
    );
    await Promise.race([deleting.catch(() => undefined), sleep(besideMs)]);
    held.open();
    await starting;
    expect(await deleting).toEqual({ jobCount: 2 });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });

  rule("a start beside the deletion of its parent's tree is refused", async ({ open, gate }) => {
    const client = await open();
    const parent = await client.start("other");
    const held = gate();
    const deleting = client.transact(async (tx) => {
      await client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [parent.id] });
      await held.pass();
    });
    await held.arrived();
    const starting = rejection(client.start("task", { parent }));
    await Promise.race([starting, sleep(besideMs)]);
    held.open();
    await deleting;
    expect(await starting).toMatchObject({ code: "QUEUERT_JOB_NOT_FOUND", jobId: parent.id });
    expect((await client.queuert.listJobs()).items).toEqual([]);
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
