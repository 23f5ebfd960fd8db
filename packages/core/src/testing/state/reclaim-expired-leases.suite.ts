import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { leaseExpiredError } from "../../adapter-kit/stored-texts.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { only } from "../steps.ts";
import { settlesWithin, within } from "../waiting.ts";

export const reclaimExpiredLeasesSuite: StateSuite = defineStateSuite(
  "reclaimExpiredLeases",
  (rule) => {
    rule(
      "Gives running jobs of any type whose lease has expired back as `pending`, at their old place; oldest lease first.",
      async ({ steps, stateAdapter }) => {
        const later = await steps.createRunning({ typeName: "b" }, { leaseMs: 1, workerId: "w2" });
        const sooner = await steps.createRunning({ typeName: "a" }, { leaseMs: 1, workerId: "w1" });
        // In one statement, so that their order does not hang on how long anything takes.
        const lease = ({ id, leaseVersion }: typeof later, leaseMs: number) => ({
          jobId: id,
          leaseVersion,
          leaseMs,
        });
        await stateAdapter.renewLeases({ leases: [lease(later, 40), lease(sooner, 10)] });
        const held = await steps.createRunning({ typeName: "c" }, { leaseMs: minuteMs });
        await steps.untilExpired(later);
        const reference = (job: typeof later) => ({
          id: job.id,
          typeName: job.typeName,
          sequenceId: job.sequenceId,
          sequenceTypeName: job.sequenceTypeName,
          rootSequenceId: job.rootSequenceId,
          originId: job.originId,
        });
        expect(await stateAdapter.reclaimExpiredLeases({ limit: 1 })).toEqual([
          { ...reference(sooner), leasedBy: "w1", leaseVersion: 1 },
        ]);
        expect(await stateAdapter.reclaimExpiredLeases({ limit: 10 })).toEqual([
          { ...reference(later), leasedBy: "w2", leaseVersion: 1 },
        ]);
        expect(await stateAdapter.reclaimExpiredLeases({ limit: 10 })).toEqual([]);
        for (const job of [sooner, later]) {
          expect(await steps.get(job)).toMatchObject({
            status: "pending",
            scheduledAt: job.scheduledAt,
            leasedBy: null,
            leasedUntil: null,
            leaseVersion: 1,
            attempt: 1,
          });
        }
        expect(await steps.get(held)).toEqual(held);
      },
    );

    rule("a reclaimed job stands before younger ones", async ({ steps, stateAdapter }) => {
      const old = await steps.createRunning({}, { leaseMs: 1 });
      await steps.create({}, {});
      await steps.untilExpired(old);
      await stateAdapter.reclaimExpiredLeases({ limit: 10 });
      const taken = only(await steps.acquire());
      expect(taken.job).toMatchObject({ id: old.id, attempt: 2, leaseVersion: 2 });
    });

    rule(
      "The error of the attempt says that the lease expired.",
      async ({ steps, stateAdapter }) => {
        const job = await steps.createRunning({}, { leaseMs: 1 });
        await steps.untilExpired(job);
        await stateAdapter.reclaimExpiredLeases({ limit: 10 });
        expect((await steps.get(job)).lastAttemptError).toBe(leaseExpiredError("worker-1"));
      },
    );

    rule(
      "reclaims at most `limit`, in as many rounds as it takes",
      async ({ steps, stateAdapter }) => {
        await steps.create(...Array.from({ length: 25 }, () => ({})));
        const running = await steps.acquire({ limit: 25, leaseMs: 1 });
        await steps.untilExpired(running[24]?.job ?? { id: "" });
        const sizes = [];
        for (let round = 0; round < 4; round += 1) {
          sizes.push((await stateAdapter.reclaimExpiredLeases({ limit: 10 })).length);
        }
        expect(sizes).toEqual([10, 10, 5, 0]);
      },
    );

    rule("a renewed lease is not reclaimed", async ({ steps, stateAdapter }) => {
      const job = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(job);
      await steps.renew(job, minuteMs);
      expect(await stateAdapter.reclaimExpiredLeases({ limit: 10 })).toEqual([]);
      expect((await steps.get(job)).status).toBe("running");
    });

    rule(
      "Skips jobs locked by another transaction: their holder is alive and about to settle.",
      async ({
        steps,
        stateAdapter,
        capabilities,
        patienceMs,
        secondStateAdapter,
        openTransaction,
      }) => {
        const settling = await steps.createRunning({ typeName: "settling" }, { leaseMs: 1 });
        const lost = await steps.createRunning({ typeName: "lost" }, { leaseMs: 1 });
        await steps.untilExpired(lost);
        const transaction = await openTransaction();
        await transaction.steps.complete(settling, '"settled"');
        const reclaiming = secondStateAdapter.reclaimExpiredLeases({ limit: 10 });
        const waited = !(await settlesWithin(
          reclaiming,
          patienceMs(capabilities.concurrentWriters),
        ));
        if (capabilities.concurrentWriters) expect(waited).toBe(false);
        await transaction.commit();
        const reclaimed = await within(reclaiming, "reclaimExpiredLeases");
        expect(reclaimed.map(({ id }) => id)).toEqual([lost.id]);
        expect((await steps.get(settling)).output).toBe('"settled"');
        expect(await stateAdapter.reclaimExpiredLeases({ limit: 10 })).toEqual([]);
      },
    );

    rule(
      "Two callers never reclaim the same lease.",
      async ({ steps, stateAdapter, secondStateAdapter }) => {
        await steps.create(...Array.from({ length: 40 }, () => ({})));
        const running = await steps.acquire({ limit: 40, leaseMs: 1 });
        await steps.untilExpired(running[39]?.job ?? { id: "" });
        const rounds = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            (index % 2 === 0 ? stateAdapter : secondStateAdapter).reclaimExpiredLeases({
              limit: 15,
            }),
          ),
        );
        const reclaimed = rounds.flat().map(({ id }) => id);
        expect(new Set(reclaimed).size).toBe(reclaimed.length);
        const rest = await stateAdapter.reclaimExpiredLeases({ limit: 100 });
        expect(reclaimed.length + rest.length).toBe(40);
      },
    );
  },
);
