import { expect } from "vitest";
import { aKey, thirtyDaysMs } from "../factories.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const exist = async ({ stateAdapter }: StateCaseContext, jobs: readonly StateJob[]) =>
  (await stateAdapter.getJobs({ ids: jobs.map(({ id }) => id) })).map((job) => job !== undefined);

/** Waits until a job that finished just before has been finished for more than 0 ms. */
const untilOld = async ({ steps }: StateCaseContext): Promise<void> => {
  const { createdAt } = await steps.createOne({ typeName: "clock" });
  await steps.untilStoreTime(createdAt);
};

const allAges = { completedForMs: 0, failedForMs: 0, cancelledForMs: 0, limit: 100 };

export const deleteFinishedSequencesSuite: StateSuite = defineStateSuite(
  "deleteFinishedSequences",
  (rule) => {
    rule(
      "Retention: deletes up to `limit` whole root trees in which every job has been finished for longer than the age given for its status",
      async (test) => {
        const { steps, stateAdapter } = test;
        const root = await steps.createRunning({ typeName: "root" });
        await steps.continueWith(root);
        const last = await steps.acquireOne({ typeName: "next" });
        await steps.complete(last);
        const inTree = { rootSequenceId: root.id, originId: root.id };
        const child = await steps.createOne(inTree);
        await untilOld(test);
        expect(await stateAdapter.deleteFinishedSequences(allAges)).toBe(0);
        await steps.complete(await steps.acquireOne());
        await untilOld(test);
        expect(await stateAdapter.deleteFinishedSequences(allAges)).toBe(3);
        expect(await exist(test, [root, last, child])).toEqual([false, false, false]);
      },
    );

    rule("a tree that finished within the age stays", async (test) => {
      const completed = await test.steps.createCompleted({ typeName: "completed" });
      const failed = await test.steps.createFailed({ typeName: "failed" });
      await untilOld(test);
      const ages = {
        completedForMs: thirtyDaysMs,
        failedForMs: thirtyDaysMs,
        cancelledForMs: thirtyDaysMs,
        limit: 100,
      };
      expect(await test.stateAdapter.deleteFinishedSequences(ages)).toBe(0);
      expect(await exist(test, [completed, failed])).toEqual([true, true]);
    });

    rule("each status has its own age", async (test) => {
      const completed = await test.steps.createCompleted({ typeName: "completed" });
      const failed = await test.steps.createFailed({ typeName: "failed" });
      await untilOld(test);
      const ages = { completedForMs: thirtyDaysMs, failedForMs: 0, cancelledForMs: 0, limit: 100 };
      expect(await test.stateAdapter.deleteFinishedSequences(ages)).toBe(1);
      expect(await exist(test, [completed, failed])).toEqual([true, false]);
    });

    rule("a null age keeps trees that contain jobs of that status.", async (test) => {
      const { steps, stateAdapter } = test;
      const completed = await steps.createCompleted({ typeName: "completed" });
      const mixed = await steps.createCompleted({ typeName: "mixed" });
      const child = await steps.createFailed({ rootSequenceId: mixed.id, originId: mixed.id });
      await untilOld(test);
      const keepsFailed = {
        completedForMs: 0,
        failedForMs: null,
        cancelledForMs: null,
        limit: 100,
      };
      expect(await stateAdapter.deleteFinishedSequences(keepsFailed)).toBe(1);
      expect(await exist(test, [completed, mixed, child])).toEqual([false, true, true]);
      const keepsAll = {
        completedForMs: null,
        failedForMs: null,
        cancelledForMs: null,
        limit: 100,
      };
      expect(await stateAdapter.deleteFinishedSequences(keepsAll)).toBe(0);
      const keepsCompleted = {
        completedForMs: null,
        failedForMs: 0,
        cancelledForMs: 0,
        limit: 100,
      };
      expect(await stateAdapter.deleteFinishedSequences(keepsCompleted)).toBe(0);
      expect(await stateAdapter.deleteFinishedSequences(allAges)).toBe(2);
    });

    rule("and that no job outside waits for.", async (test) => {
      const { steps, stateAdapter } = test;
      const failed = await steps.createFailed({ typeName: "failed" });
      const waiting = await steps.createBlocked([failed]);
      const completed = await steps.createCompleted({ typeName: "completed" });
      // Released, but it has not begun: it will be given the output of its blocker.
      const released = await steps.createBlocked([completed], { typeName: "released" });
      await untilOld(test);
      expect(await stateAdapter.deleteFinishedSequences(allAges)).toBe(0);
      expect(await exist(test, [failed, completed, waiting, released])).toEqual([
        true,
        true,
        true,
        true,
      ]);
      expect((await stateAdapter.getBlockers({ ids: [released.id] }))[0]).toHaveLength(1);
    });

    rule("finished trees that waited for one another go in the end", async (test) => {
      const { steps, stateAdapter } = test;
      const blocker = await steps.createCompleted({ typeName: "blocker" });
      await steps.createBlocked([blocker]);
      await steps.complete(await steps.acquireOne());
      await untilOld(test);
      let deleted = 0;
      for (let round = 0; round < 3; round += 1) {
        deleted += await stateAdapter.deleteFinishedSequences(allAges);
      }
      expect(deleted).toBe(2);
    });

    rule("Oldest first", async (test) => {
      const { steps, stateAdapter } = test;
      const finished = [];
      for (let index = 0; index < 5; index += 1) {
        finished.push(await steps.createCompleted());
        await untilOld(test);
      }
      expect(await stateAdapter.deleteFinishedSequences({ ...allAges, limit: 2 })).toBe(2);
      expect(await exist(test, finished)).toEqual([false, false, true, true, true]);
      expect(await stateAdapter.deleteFinishedSequences({ ...allAges, limit: 2 })).toBe(2);
      expect(await exist(test, finished)).toEqual([false, false, false, false, true]);
    });

    rule("unfinished trees at the front do not stop it", async (test) => {
      const { steps, stateAdapter } = test;
      for (let index = 0; index < 5; index += 1) {
        const kept = await steps.createCompleted({ typeName: "kept" });
        await steps.createOne({ typeName: "open", rootSequenceId: kept.id, originId: kept.id });
      }
      await steps.createCompleted();
      await untilOld(test);
      let deleted = 0;
      for (let round = 0; round < 10 && deleted === 0; round += 1) {
        deleted = await stateAdapter.deleteFinishedSequences({ ...allAges, limit: 1 });
      }
      expect(deleted).toBe(1);
    });

    rule("a key goes with its sequence", async (test) => {
      const { steps, stateAdapter } = test;
      const deduplication = aKey("k", { strategy: "all" });
      const first = await steps.createCompleted({ deduplication });
      await untilOld(test);
      await stateAdapter.deleteFinishedSequences(allAges);
      expect((await steps.createOne({ deduplication })).id).not.toBe(first.id);
    });

    rule("cancelled jobs by their own age", async ({ steps, stateAdapter }) => {
      const cancelled = await steps.createCancelled();
      const completed = await steps.createCompleted();
      await steps.untilStoreTime(completed.finishedAt ?? new Date(0));
      const keeps = { completedForMs: null, failedForMs: 0, cancelledForMs: null, limit: 100 };
      expect(await stateAdapter.deleteFinishedSequences(keeps)).toBe(0);
      const keepsCompleted = { ...keeps, cancelledForMs: 0 };
      expect(await stateAdapter.deleteFinishedSequences(keepsCompleted)).toBe(1);
      expect(await stateAdapter.getJobs({ ids: [cancelled.id, completed.id] })).toEqual([
        undefined,
        completed,
      ]);
    });
  },
);
