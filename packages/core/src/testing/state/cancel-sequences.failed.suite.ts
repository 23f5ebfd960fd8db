// Failed sequences that are not to be retried.
import { expect } from "vitest";
import { blockerCancelledError } from "../../adapter-kit/stored-texts.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const failed = true;
const onBlockerFailure = "continue";

export const cancelFailedSuite: StateSuite = defineStateSuite(
  "cancelSequences, failed sequences",
  (rule) => {
    rule(
      "`failed`: a given sequence that has failed is cancelled as well, and never retried.",
      async ({ steps, stateAdapter }) => {
        const blocker = await steps.createOne({ typeName: "blocker" });
        const stuck = await steps.createBlocked([blocker], { typeName: "stuck" });
        await steps.cancel([blocker], { dependants: "fail" });
        const first = await steps.createRunning();
        const next = await steps.continueWith(first);
        await steps.fail(await steps.acquireOne({ typeName: "next" }), "why");
        const completed = await steps.createCompleted();
        const result = await steps.cancel([stuck, first, completed, blocker], {
          ...{ failed, reason: '"given up"' },
        });
        const ended = { kind: "refused", reason: "already_ended" };
        const cancelled = { kind: "cancelled" };
        expect(result).toMatchObject({ results: [cancelled, cancelled, ended, ended] });
        expect(result).toMatchObject({
          jobs: [
            { id: stuck.id, wasRunning: false },
            { id: next.id, wasRunning: false },
          ],
        });
        for (const { id } of [stuck, next]) {
          expect(await steps.get({ id })).toMatchObject({
            ...{ status: "cancelled", output: '"given up"', leasedBy: null },
          });
          expect(await stateAdapter.retryFailedJobs({ ids: [id] })).toEqual([
            { kind: "refused", reason: "not_failed" },
          ]);
        }
        expect((await steps.get(next)).lastAttemptError).toBe("why");
        const { current } = await steps.getSequence(first.id);
        expect(current.status).toBe("cancelled");
        expect(await steps.cancel([stuck], { failed })).toMatchObject({ results: [ended] });
      },
    );

    rule("Those in its tree that have failed stay as they are.", async ({ steps }) => {
      const root = await steps.createFailed({ typeName: "root" });
      const place = { rootSequenceId: root.id, originId: root.id };
      const child = await steps.createFailed({ typeName: "child", ...place });
      const open = await steps.createOne({ typeName: "open", ...place });
      await steps.cancel([root], { failed });
      expect((await steps.get(root)).status).toBe("cancelled");
      expect((await steps.get(open)).status).toBe("cancelled");
      expect(await steps.get(child)).toEqual(child);
    });

    rule("a job that waits for a failed sequence is not stranded", async ({ steps }) => {
      const [one, other] = [await steps.createFailed(), await steps.createFailed()];
      const waiting = await steps.createBlocked([one], { typeName: "waiting" });
      expect(await steps.cancel([one], { failed })).toMatchObject({
        kind: "blocking",
        edges: [{ jobId: waiting.id, blockerSequenceId: one.id }],
      });
      expect((await steps.get(one)).status).toBe("failed");
      await steps.cancel([one], { failed, dependants: "fail" });
      expect(await steps.get(waiting)).toMatchObject({
        status: "failed",
        lastAttemptError: blockerCancelledError(one.id),
      });
      const second = await steps.createBlocked([other], { typeName: "waiting" });
      await steps.cancel([other], { failed, dependants: "cancel" });
      expect((await steps.get(second)).status).toBe("cancelled");
    });

    rule("a job that went on after the failure is not released again", async ({ steps }) => {
      const running = await steps.createRunning({ typeName: "failing" });
      const open = await steps.createRunning({ typeName: "open" });
      const both = await steps.createBlocked([running, open], { onBlockerFailure });
      await steps.fail(running);
      expect(await steps.cancel([running], { failed })).toMatchObject({ unblocked: [] });
      expect((await steps.get(both)).status).toBe("blocked");
      await steps.complete(open);
      expect((await steps.get(both)).status).toBe("pending");
    });

    rule("its key is free, also under all", async ({ steps }) => {
      const deduplication = { key: "k", strategy: "all", windowMs: null } as const;
      const first = await steps.createFailed({ deduplication });
      expect((await steps.createOne({ deduplication })).id).toBe(first.id);
      await steps.cancel([first], { failed });
      expect((await steps.createOne({ deduplication })).id).not.toBe(first.id);
    });
  },
);
