import { expect } from "vitest";
import type { JobStatus } from "../../model/status.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

/** One sequence in each status, a continued one among them. */
const startOneOfEach = async (client: BehaviourClient): Promise<Record<string, string>> => {
  const completed = await client.start("first");
  const failed = await client.start("other");
  const worker = await client.work({
    first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
    next: async ({ complete }) => complete("out"),
    other: {
      retryConfig: { maxAttempts: 1 },
      process: () => Promise.reject(new Error("broken")),
    },
  });
  await client.until(completed);
  await client.until(failed, "failed");
  await worker.stop();
  const pending = await client.start("task");
  const blocked = await client.start("waiting", {
    startBlockers: () => Promise.resolve([pending]),
  });
  return { completed: completed.id, failed: failed.id, pending: pending.id, blocked: blocked.id };
};

const ids = (page: { readonly items: readonly { readonly id: string }[] }): string[] =>
  page.items.map(({ id }) => id);

export const readingSuite: BehaviourSuite = defineBehaviourSuite("reading", (rule) => {
  rule("getJob and getJobSequence return undefined for an unknown id", async ({ open }) => {
    const client = await open();
    const { id } = await client.start("task");
    expect(await client.queuert.getJob({ id, typeName: "other" })).toBeUndefined();
    expect(await client.queuert.getJobSequence({ id, typeName: "other" })).toBeUndefined();
    expect(await client.queuert.getJob({ id, typeName: "task" })).toMatchObject({ id });
    await client.queuert.transaction((tx) =>
      client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [id] }),
    );
    expect(await client.queuert.getJob({ id })).toBeUndefined();
    expect(await client.queuert.getJobSequence({ id })).toBeUndefined();
    expect(await rejection(client.queuert.getJob({ id: "" }))).toMatchObject({ option: "id" });
  });

  rule("lists are filtered by status", async ({ open }) => {
    const client = await open();
    const started = await startOneOfEach(client);
    for (const status of ["completed", "failed", "pending", "blocked"] as const) {
      const page = await client.queuert.listJobSequences({ status });
      expect(ids(page)).toEqual([started[status]]);
    }
    expect(ids(await client.queuert.listJobSequences({ status: "running" }))).toEqual([]);
    const both = await client.queuert.listJobSequences({
      status: ["pending", "blocked"],
      order: "asc",
    });
    expect(ids(both)).toEqual([started["pending"], started["blocked"]]);
    // Both jobs of the continued sequence have completed.
    expect((await client.queuert.listJobs({ status: "completed" })).items).toHaveLength(2);
  });

  rule("lists are filtered by type, sequence and root", async ({ open }) => {
    const client = await open();
    const started = await startOneOfEach(client);
    const { listJobs, listJobSequences } = client.queuert;
    expect(ids(await listJobs({ typeName: "task" }))).toEqual([started["pending"]]);
    expect(ids(await listJobs({ typeName: ["task", "other"] }))).toEqual([
      started["pending"],
      started["failed"],
    ]);
    const first = started["completed"] ?? "";
    expect((await listJobs({ sequenceTypeName: "first" })).items).toHaveLength(2);
    expect((await listJobs({ sequenceTypeName: ["waiting", "other"] })).items).toHaveLength(2);
    expect((await listJobs({ sequenceId: first })).items).toHaveLength(2);
    expect((await listJobs({ rootSequenceId: first })).items).toHaveLength(2);
    expect(ids(await listJobSequences({ rootSequenceId: first }))).toEqual([first]);
    expect(ids(await listJobSequences({ typeName: "waiting" }))).toEqual([started["blocked"]]);
  });

  rule(
    "lists are filtered by the time of creation, from inclusive to exclusive",
    async (context) => {
      const { open } = context;
      const client = await open();
      const first = await client.start("task");
      const second = await client.start("task");
      const after = new Date(second.createdAt.getTime() + 1);
      const all = await client.queuert.listJobs({
        createdFrom: first.createdAt,
        createdTo: after,
        order: "asc",
      });
      expect(ids(all)).toEqual([first.id, second.id]);
      expect(ids(await client.queuert.listJobs({ createdFrom: after }))).toEqual([]);
      expect(ids(await client.queuert.listJobs({ createdTo: first.createdAt }))).toEqual([]);
    },
  );

  rule("an empty list of types or statuses matches nothing", async ({ open }) => {
    const client = await open();
    await client.start("task");
    expect(ids(await client.queuert.listJobs({ typeName: [] }))).toEqual([]);
    expect(ids(await client.queuert.listJobs({ status: [] }))).toEqual([]);
  });

  rule("pages follow each other without gaps and without repeats, both ways", async ({ open }) => {
    const client = await open();
    const started = await client.queuert.transaction((tx) =>
      client.queuert.startJobSequences({
        ...tx,
        sequences: Array.from({ length: 11 }, (_, input) => ({ typeName: "task", input }) as const),
      }),
    );
    const expected = started.map(({ id }) => id);
    for (const list of ["listJobs", "listJobSequences"] as const) {
      for (const order of ["asc", "desc"] as const) {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: { items: readonly { id: string }[]; nextCursor: string | null } =
            list === "listJobs"
              ? await client.queuert.listJobs({ order, limit: 4, cursor })
              : await client.queuert.listJobSequences({ order, limit: 4, cursor });
          seen.push(...ids(page));
          cursor = page.nextCursor;
          // Jobs that are created or removed meanwhile move no page.
          if (seen.length === 4) await client.start("other");
        } while (cursor !== null && seen.length < 40);
        const others = seen.filter((id) => !expected.includes(id));
        const own = seen.filter((id) => expected.includes(id));
        expect(own).toEqual(order === "asc" ? expected : [...expected].reverse());
        expect(new Set(others).size).toBe(others.length);
      }
    }
  });

  rule("the last page has no cursor, also when it is full", async ({ open }) => {
    const client = await open();
    await client.start("task");
    await client.start("task");
    const page = await client.queuert.listJobs({ limit: 2 });
    expect(page.items).toHaveLength(2);
    expect(page.nextCursor).toBeNull();
  });

  rule(
    "a cursor of another list or another order, or an invented one, is refused",
    async ({ open }) => {
      const client = await open();
      await client.start("task");
      await client.start("task");
      const { nextCursor } = await client.queuert.listJobs({ limit: 1, order: "asc" });
      expect(nextCursor).not.toBeNull();
      const refused = [
        client.queuert.listJobs({ cursor: nextCursor, order: "desc" }),
        client.queuert.listJobSequences({ cursor: nextCursor, order: "asc" }),
        client.queuert.listJobs({ cursor: "made up" }),
        client.queuert.listJobs({ cursor: "" }),
        client.queuert.listJobs({ cursor: Buffer.from("[1,2]").toString("base64url") }),
      ];
      for (const page of refused) {
        expect(await rejection(page)).toMatchObject({ code: "QUEUERT_INVALID_CURSOR" });
      }
    },
  );

  rule("filters without meaning are refused", async ({ open }) => {
    const client = await open();
    for (const options of [
      { limit: 0 },
      { limit: 1.5 },
      { limit: 100_000 },
      { limit: Number.NaN },
      { order: "up" },
      { status: "done" },
      { createdFrom: "today" },
      { createdTo: new Date(Number.NaN) },
    ]) {
      // Bad input on purpose.
      expect(await rejection(client.queuert.listJobs(options as never))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
  });

  rule("a read in a transaction sees the writes of that transaction", async ({ open }) => {
    const client = await open();
    await client.queuert.transaction(async (tx) => {
      const { id } = await client.startIn(tx, "task");
      expect(ids(await client.queuert.listJobs({ ...tx }))).toEqual([id]);
      expect(ids(await client.queuert.listJobSequences({ ...tx }))).toEqual([id]);
      expect(await client.queuert.getJobSequence({ ...tx, id })).toMatchObject({ id });
    });
  });

  rule("the blocker graph names each dependant, its blockers, and the reason", async ({ open }) => {
    const client = await open();
    const failed = await client.start("other");
    const completed = await client.start("task", { input: "quick" });
    const worker = await client.work({
      other: {
        retryConfig: { maxAttempts: 1 },
        process: () => Promise.reject(new Error("broken")),
      },
      task: async ({ complete }) => complete(null),
    });
    await client.until(failed, "failed");
    await client.until(completed);
    await worker.stop();
    const middle = await client.start("waiting", {
      startBlockers: () => Promise.resolve([completed, failed]),
    });
    const outer = await client.start("waiting", {
      startBlockers: () => Promise.resolve([middle, completed]),
    });
    const graph = await client.queuert.getBlockerGraph({ sequenceId: middle.id });
    const statuses = Object.fromEntries(
      graph.nodes.map(({ sequenceId, status }) => [sequenceId, status]),
    );
    expect(statuses).toEqual({
      [middle.id]: "blocked",
      [outer.id]: "blocked",
      [completed.id]: "completed",
      [failed.id]: "failed",
    } satisfies Record<string, JobStatus>);
    expect(graph.nodes.find(({ sequenceId }) => sequenceId === failed.id)?.error).toContain(
      "broken",
    );
    const edges = graph.edges.map(({ jobId, blockerSequenceId, index, waiting }) =>
      [jobId, blockerSequenceId, index, waiting].join(),
    );
    expect(edges.sort()).toEqual(
      [
        [middle.id, completed.id, 0, false].join(),
        [middle.id, failed.id, 1, true].join(),
        [outer.id, middle.id, 0, true].join(),
        [outer.id, completed.id, 1, false].join(),
      ].sort(),
    );
  });

  rule(
    "a blocker graph of nothing is refused, and of a lonely sequence is small",
    async ({ open }) => {
      const client = await open();
      const { id } = await client.start("task");
      expect(await client.queuert.getBlockerGraph({ sequenceId: id })).toMatchObject({
        nodes: [{ sequenceId: id, status: "pending", error: null }],
        edges: [],
      });
      await client.queuert.transaction((tx) =>
        client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [id] }),
      );
      const gone = client.queuert.getBlockerGraph({ sequenceId: id });
      expect(await rejection(gone)).toMatchObject({ code: "QUEUERT_JOB_NOT_FOUND" });
    },
  );
});
