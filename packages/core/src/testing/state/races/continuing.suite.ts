import { expect } from "vitest";
import { interleavings, nameInterleaving, race } from "../../race.ts";
import type { StateJob } from "../../../model/state-job.ts";
import { defineStateSuite } from "../../state-suite.ts";
import type { StateSuite } from "../../state-suite.ts";
import { only, type StateSteps } from "../../steps.ts";

type End = (steps: StateSteps, job: StateJob) => Promise<unknown>;

const ends: Readonly<Record<"fails" | "completes" | "is cancelled", End>> = {
  fails: (steps, job) => steps.fail(job),
  completes: (steps, job) => steps.complete(job),
  "is cancelled": (steps, job) => steps.cancel([job]),
};

const pairs = [
  ["fails", "fails"],
  ["fails", "completes"],
  ["is cancelled", "fails"],
  ["completes", "is cancelled"],
] as const;

const onBlockerFailure = "continue";

/** With `onBlockerFailure: "continue"`: released exactly once, by any ends of its blockers. */
const continuing: StateSuite = defineStateSuite("races, blockers that end in any way", (rule) => {
  for (const interleaving of interleavings) {
    const order = nameInterleaving(interleaving);
    for (const [first, second] of pairs) {
      rule(`one ${first}, the other ${second}, the job goes on: ${order}`, async (test) => {
        const { steps } = test;
        const b1 = await steps.createRunning({ typeName: "b1" });
        const b2 = await steps.createRunning({ typeName: "b2" });
        const waiting = await steps.createBlocked([b1, b2], { onBlockerFailure });
        await race(test, {
          ...interleaving,
          first: (inside) => ends[first](inside, b1),
          second: (inside) => ends[second](inside, b2),
        });
        if (interleaving.firstEnds === "rollback") {
          expect((await steps.get(waiting)).status).toBe("blocked");
          await ends[first](steps, b1);
        }
        expect((await steps.acquire({ limit: 5 })).map(({ job }) => job.id)).toEqual([waiting.id]);
      });
    }

    rule(`a job that is added while its blocker fails goes on: ${order}`, async (test) => {
      const { steps } = test;
      const blocker = await steps.createRunning({ typeName: "blocker" });
      const { id } = await steps.createOne({ awaitsBlockers: true, onBlockerFailure });
      await race(test, {
        ...interleaving,
        first: (inside) => inside.fail(blocker),
        second: async (_steps, context, adapter) => {
          const jobs = [{ jobId: id, blockerSequenceIds: [blocker.id] }];
          return only(await adapter.addBlockers({ context, jobs }));
        },
      });
      if (interleaving.firstEnds === "rollback") {
        expect((await steps.get({ id })).status).toBe("blocked");
        await steps.fail(blocker);
      }
      expect((await steps.acquire({ limit: 5 })).map(({ job }) => job.id)).toEqual([id]);
    });

    rule(`a retried blocker is waited for, or the job has gone on: ${order}`, async (test) => {
      const { steps } = test;
      const failed = await steps.createRunning({ typeName: "failed" });
      const other = await steps.createRunning({ typeName: "other" });
      const waiting = await steps.createBlocked([failed, other], { onBlockerFailure });
      await steps.fail(failed);
      await race(test, {
        ...interleaving,
        first: (_steps, context, adapter) => adapter.retryFailedJobs({ context, ids: [failed.id] }),
        second: (inside) => inside.complete(other),
      });
      const { status } = await steps.get(waiting);
      expect(["blocked", "pending"]).toContain(status);
      if (interleaving.firstEnds === "rollback") expect(status).toBe("pending");
      else await steps.complete(await steps.acquireOne({ typeName: "failed" }));
      expect((await steps.acquire({ limit: 5 })).map(({ job }) => job.id)).toEqual([waiting.id]);
    });
  }
});

export const continuingRaceSuites: readonly StateSuite[] = [continuing];
