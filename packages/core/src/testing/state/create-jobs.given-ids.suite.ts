// Ids that the caller gives: a job is stored under its id once.
import { expect } from "vitest";
import { aContinuation, aJob } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";

export const createJobsGivenIdsSuite: StateSuite = defineStateSuite(
  "createJobs, given ids",
  (rule) => {
    rule("`id` of an entry job: it is stored under this id.", async ({ steps, stateAdapter }) => {
      const id = await steps.absentId();
      const root = await steps.createOne({ typeName: "root" });
      const job = aJob({ id, rootSequenceId: root.id, originId: root.id, priority: 3 });
      const created = only(await stateAdapter.createJobs({ jobs: [job] }));
      expect(created).toMatchObject({
        deduplicated: false,
        job: { id, sequenceId: id, rootSequenceId: root.id, deduplicationKey: null, priority: 3 },
      });
      expect(await steps.get({ id })).toEqual(created.job);
      expect((await steps.acquireOne()).id).toBe(id);
      expect((await steps.getSequence(id)).first.id).toBe(id);
    });

    rule(
      "If a job of any type has the id, that job is returned with `deduplicated: true`, and nothing is written for that element.",
      async ({ steps, stateAdapter }) => {
        const first = await steps.createRunning();
        const later = await steps.continueWith(first);
        for (const { id } of [first, later]) {
          const before = await steps.get({ id });
          const jobs = [aJob({ id, typeName: "other", input: "1" }), aJob({ typeName: "beside" })];
          const [found, beside] = await stateAdapter.createJobs({ jobs });
          expect(found).toEqual({ job: before, deduplicated: true });
          expect(beside?.deduplicated).toBe(false);
          expect(await steps.get({ id })).toEqual(before);
        }
        expect(await steps.acquire({ typeName: "other" })).toEqual([]);
      },
    );

    rule(
      "Two elements of one call with the same id: the second is deduplicated to the first.",
      async ({ steps, stateAdapter }) => {
        const [id, other] = [await steps.absentId(), await steps.absentId()];
        const jobs = [
          aJob({ input: "1" }),
          ...[aJob({ id: other, input: "2" }), aJob({ id, input: "3" }), aJob({ input: "4" })],
          ...[aJob({ id: other, input: "5" }), aJob({ id, input: "6" })],
          aJob({ input: "7", deduplication: { key: id, strategy: "all", windowMs: null } }),
        ];
        const created = await stateAdapter.createJobs({ jobs });
        expect(created.map(({ job }) => job.input)).toEqual(["1", "2", "3", "4", "2", "3", "7"]);
        expect(created.map(({ deduplicated }) => deduplicated)).toEqual([
          ...[false, false, false, false],
          ...[true, true, false],
        ]);
        const stored = created.filter(({ deduplicated }) => !deduplicated);
        const ordinals = stored.map(({ job }) => job.ordinal);
        expect(ordinals).toEqual([...ordinals].sort((a, b) => a - b));
        expect(await steps.acquire({ limit: 10 })).toHaveLength(5);
      },
    );

    rule("a rolled-back start leaves the id free", async ({ steps, openTransaction }) => {
      const id = await steps.absentId();
      const { steps: inside, rollback } = await openTransaction();
      await inside.createOne({ id });
      expect((await inside.createOne({ id, typeName: "again" })).typeName).toBe("task");
      await rollback();
      expect((await steps.createOne({ id, typeName: "anew" })).typeName).toBe("anew");
    });
  },
);

/** Jobs are deleted and cancelled here, by methods that an author of a store writes later. */
export const freedIdsSuite: StateSuite = defineStateSuite("createJobs, freed ids", (rule) => {
  rule("a cancelled job holds its id", async ({ steps, stateAdapter }) => {
    const { id } = await steps.createCancelled({ id: await steps.absentId() });
    const found = only(await stateAdapter.createJobs({ jobs: [aJob({ id, typeName: "other" })] }));
    expect(found).toEqual({ job: await steps.get({ id }), deduplicated: true });
  });

  for (const end of ["commit", "rollback"] as const) {
    rule(
      `a transaction that deletes a job and starts another under its id: ${end}`,
      async ({ steps, stateAdapter, openTransaction }) => {
        const id = await steps.absentId();
        const child = await steps.absentId();
        await steps.createOne({ id, typeName: "old" });
        const transaction = await openTransaction();
        const { context } = transaction;
        await stateAdapter.deleteSequences({ context, rootSequenceIds: [id] });
        const anew = await transaction.steps.createOne({ id, typeName: "new" });
        expect(anew.typeName).toBe("new");
        await transaction.steps.createOne({ id: child, rootSequenceId: id, originId: id });
        await transaction[end]();
        const typeName = end === "commit" ? "new" : "old";
        expect((await steps.get({ id })).typeName).toBe(typeName);
        expect((await steps.acquireOne({ typeName })).id).toBe(id);
        const read = await stateAdapter.getJobs({ ids: [child] });
        expect(read.map((job) => job?.rootSequenceId)).toEqual(
          end === "commit" ? [id] : [undefined],
        );
      },
    );
  }

  rule("an id is free again after its deletion", async ({ steps, stateAdapter }) => {
    const id = await steps.absentId();
    const first = await steps.createRunning({ id });
    const { id: nextId } = await steps.continueWith(first);
    await steps.cancel([first]);
    await stateAdapter.runInTransaction((context) =>
      stateAdapter.deleteSequences({ context, rootSequenceIds: [id] }),
    );
    const again = await steps.createRunning({ id, typeName: "again" });
    expect(again).toMatchObject({ id, position: 0, typeName: "again" });
    const { job } = only(await stateAdapter.createJobs({ jobs: [aContinuation(again)] }));
    expect([id, nextId]).not.toContain(job.id);
  });
});
