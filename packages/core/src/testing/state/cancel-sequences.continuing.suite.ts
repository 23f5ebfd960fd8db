import { expect } from "vitest";
import type { CancelSequencesResult } from "../../adapters/state-adapter-params.ts";
import type { StateJob } from "../../model/state-job.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import type { StateSteps } from "../steps.ts";

type Cancelled = Extract<CancelSequencesResult, { readonly kind: "cancelled" }>;

const cancelled = (result: CancelSequencesResult): Cancelled => {
  if (result.kind === "blocking") throw new Error("The cancellation was refused");
  return result;
};

const idsOf = (jobs: readonly { readonly id: string }[]): readonly string[] =>
  jobs.map(({ id }) => id).sort();

const statusesOf = (steps: StateSteps, jobs: readonly StateJob[]): Promise<readonly string[]> =>
  Promise.all(jobs.map(async (job) => (await steps.get(job)).status));

export const cancelContinuingSuite: StateSuite = defineStateSuite(
  "cancelSequences, jobs that go on",
  (rule) => {
    for (const dependants of ["refuse", "fail", "cancel"] as const) {
      rule(
        `A job with \`onBlockerFailure: "continue"\` goes on after a cancellation as after a failure, at any \`dependants\`: ${dependants}`,
        async ({ steps }) => {
          const onBlockerFailure = "continue";
          const job = await steps.createRunning({ typeName: "job" });
          const other = await steps.createRunning({ typeName: "other" });
          const waiting = await steps.createBlocked([job], { onBlockerFailure });
          const both = await steps.createBlocked([other, job], { typeName: "b", onBlockerFailure });
          const result = cancelled(await steps.cancel([job], { dependants }));
          expect(idsOf(result.jobs)).toEqual([job.id]);
          expect(result.dependants).toEqual([]);
          expect(result.unblocked).toMatchObject([
            { id: waiting.id, typeName: waiting.typeName, unblockedBySequenceId: job.id },
          ]);
          expect(await statusesOf(steps, [waiting, both])).toEqual(["pending", "blocked"]);
          await steps.complete(other);
          expect((await steps.acquireOne()).id).toBe(waiting.id);
          expect((await steps.acquireOne({ typeName: "b" })).id).toBe(both.id);
        },
      );
    }

    rule(
      'On a job with `onBlockerFailure: "continue"`, a blocker that has failed or was cancelled counts as complete.',
      async ({ steps }) => {
        const onBlockerFailure = "continue";
        const failed = await steps.createFailed({ typeName: "failed" });
        const cancelled = await steps.createCancelled({ typeName: "cancelled" });
        const open = await steps.createRunning({ typeName: "open" });
        const free = await steps.createBlocked([failed, cancelled], { onBlockerFailure });
        const waiting = await steps.createBlocked([failed, open, cancelled], {
          ...{ typeName: "waiting", onBlockerFailure },
        });
        expect([free.status, waiting.status]).toEqual(["pending", "blocked"]);
        await steps.complete(open);
        for (const [typeName, statuses] of [
          ["task", ["failed", "cancelled"]],
          ["waiting", ["failed", "completed", "cancelled"]],
        ] as const) {
          const [acquired] = await steps.acquire({ typeName });
          expect(acquired?.blockers.map(({ current }) => current.status)).toEqual(statuses);
        }
      },
    );

    rule("It does not forbid one.", async ({ steps }) => {
      const onBlockerFailure = "continue";
      const job = await steps.createOne({ typeName: "job" });
      const goesOn = await steps.createBlocked([job], { typeName: "on", onBlockerFailure });
      const refuses = await steps.createBlocked([job], { typeName: "refuses" });
      expect(await steps.cancel([job])).toMatchObject({
        kind: "blocking",
        edges: [{ jobId: refuses.id, blockerSequenceId: job.id }],
      });
      const result = cancelled(await steps.cancel([job], { dependants: "fail" }));
      expect(idsOf(result.dependants)).toEqual([refuses.id]);
      expect(idsOf(result.unblocked)).toEqual([goesOn.id]);
      // A sequence of the tree that a job outside waits for is left, also if the job would go on.
      const parent = await steps.createOne({ typeName: "parent" });
      const child = await steps.createOne({
        ...{ typeName: "child", rootSequenceId: parent.id, originId: parent.id },
      });
      const after = await steps.createBlocked([child], { typeName: "after", onBlockerFailure });
      cancelled(await steps.cancel([parent]));
      expect(await statusesOf(steps, [child, after])).toEqual(["pending", "blocked"]);
    });
  },
);
