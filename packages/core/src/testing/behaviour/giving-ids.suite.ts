import { expect } from "vitest";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

const rolledBack = new Error("rolled back on purpose");

/** An id of the store's own form that no sequence has. */
const freeId = async (client: BehaviourClient): Promise<string> => {
  let id = "";
  const starting = client.transact(async (context) => {
    ({ id } = await client.startIn(context, "task"));
    throw rolledBack;
  });
  expect(await rejection(starting)).toBe(rolledBack);
  return id;
};

export const givingIdsSuite: BehaviourSuite = defineBehaviourSuite("giving ids", (rule) => {
  rule("a start with the id of a sequence finds it, as it is now", async ({ open, openSecond }) => {
    const client = await open();
    const id = await freeId(client);
    const first = await client.start("first", { id, input: 1 });
    expect(first).toMatchObject({ id, deduplicated: false, replaced: false, status: "pending" });
    await client.work({
      first: async ({ complete }) =>
        complete.continueWith({ typeName: "next", input: null, schedule: { afterMs: 3_600_000 } }),
    });
    await client.untilJob(first, "completed");
    const other = await openSecond();
    const options = { typeName: "first", input: 2, id, autocommit: true } as const;
    const again = await other.queuert.startJobSequence(options);
    expect(again).toMatchObject({ id, deduplicated: true, status: "pending", input: 1 });
    expect(again.currentJobId).not.toBe(id);
    expect(other.events.of("jobSequenceDeduplicated")).toHaveLength(1);
    const sequences = [options, { ...options, id: await freeId(client) }].map((one) => ({
      ...{ typeName: one.typeName, input: one.input, id: one.id },
    }));
    const several = await other.queuert.startJobSequences({ sequences, autocommit: true });
    expect(several.map(({ deduplicated }) => deduplicated)).toEqual([true, false]);
    expect(several.map((one) => one.id)).toEqual(sequences.map((one) => one.id));
  });

  rule("a sequence that is found starts no blockers", async ({ open }) => {
    const client = await open();
    const id = await freeId(client);
    let runs = 0;
    const start = () =>
      client.transact((context) =>
        client.startIn(context, "waiting", {
          id,
          startBlockers: async () => {
            runs += 1;
            return [await client.startIn(context, "task")];
          },
        }),
      );
    expect(await start()).toMatchObject({ id, deduplicated: false, status: "blocked" });
    const started = runs;
    expect(await start()).toMatchObject({ id, deduplicated: true, status: "blocked" });
    expect(runs).toBe(started);
  });

  rule("an id of another job is refused, and nothing of the call remains", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    const worker = await client.work({
      first: async ({ complete }) =>
        complete.continueWith({ typeName: "next", input: null, schedule: { afterMs: 3_600_000 } }),
    });
    await client.untilJob(first, "completed");
    await worker.stop();
    const { currentJobId } = await client.sequence(first);
    for (const { id, typeName } of [
      { id: first.id, typeName: "first" },
      { id: currentJobId, typeName: "next" },
    ]) {
      const taken = { code: "QUEUERT_JOB_ID_TAKEN", jobId: id, typeName, sequenceId: first.id };
      await client.transact(async (context) => {
        const sequences = [
          { typeName: "task", input: 1 },
          { typeName: "task", input: 2, id },
        ] as const;
        const starting = client.queuert.startJobSequences({ ...context, sequences });
        expect(await rejection(starting)).toMatchObject(taken);
      });
      expect(await rejection(client.start("task", { id }))).toMatchObject(taken);
    }
    expect((await client.queuert.listJobSequences({ typeName: "task" })).items).toEqual([]);
  });

  rule("an id is checked before anything is written", async ({ open }) => {
    const client = await open();
    const id = await freeId(client);
    const wrong = { code: "QUEUERT_INVALID_OPTION", option: "id" };
    for (const given of ["", 5, null, "\0", "\ud800"]) {
      expect(await rejection(client.start("task", { id: given as never }))).toMatchObject(wrong);
    }
    const both = client.start("task", { id, deduplication: { key: "k" } });
    expect(await rejection(both)).toMatchObject(wrong);
    const long = client.start("task", { id: "x".repeat(256) });
    expect(await rejection(long)).toMatchObject({ code: "QUEUERT_LIMIT_EXCEEDED", field: "id" });
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });
});
