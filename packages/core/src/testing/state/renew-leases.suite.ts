import { expect } from "vitest";
import { minuteMs, thirtyDaysMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { settlesWithin, within } from "../waiting.ts";

const renewed: StateSuite = defineStateSuite("renewLeases", (rule) => {
  rule("Extends leases to now plus `leaseMs`; commits at once.", async ({ steps, secondSteps }) => {
    const job = await steps.createRunning({}, { leaseMs: 1_000 });
    expect(await steps.renew(job, thirtyDaysMs)).toEqual({ kind: "held" });
    const { leasedUntil, ...rest } = await secondSteps.get(job);
    const gained = (leasedUntil?.getTime() ?? NaN) - (job.lastAttemptAt?.getTime() ?? NaN);
    expect(gained).toBeGreaterThanOrEqual(thirtyDaysMs);
    expect(gained).toBeLessThan(thirtyDaysMs + minuteMs);
    const { leasedUntil: _before, ...unchanged } = job;
    expect(rest).toEqual(unchanged);
  });

  rule(
    "`held`: the job is running under this `leaseVersion`, expired or not.",
    async ({ steps }) => {
      const job = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(job);
      expect(await steps.renew(job)).toEqual({ kind: "held" });
      expect(await steps.acquire({ workerId: "worker-2" })).toEqual([]);
    },
  );

  rule(
    "An expired lease of a type under a limit is lost, with the reason `lease_expired`.",
    async ({ steps, stateAdapter }) => {
      const limit = { name: "task", concurrency: 5, rate: null, declaration: null };
      await stateAdapter.setLimits({ limits: [limit] });
      const alive = await steps.createRunning();
      const job = await steps.createRunning({}, { leaseMs: 1 });
      await steps.untilExpired(job);
      expect(await steps.renew(job)).toEqual({ kind: "lost", reason: "lease_expired" });
      expect(await steps.renew(alive)).toEqual({ kind: "held" });
      // Nothing else has the job: a late completion is stored.
      expect((await steps.complete(job)).kind).toBe("completed");
    },
  );

  rule("A lease that ends later is shortened.", async ({ steps }) => {
    const job = await steps.createRunning({}, { leaseMs: thirtyDaysMs });
    expect(await steps.renew(job, minuteMs)).toEqual({ kind: "held" });
    const { leasedUntil, lastAttemptAt } = await steps.get(job);
    const lengthMs = (leasedUntil?.getTime() ?? NaN) - (lastAttemptAt?.getTime() ?? NaN);
    expect(lengthMs).toBeGreaterThanOrEqual(minuteMs);
    expect(lengthMs).toBeLessThan(2 * minuteMs);
  });

  rule(
    "Otherwise the reason why the lease is lost.",
    async ({ steps, stateAdapter, runInTransaction }) => {
      const lost = await steps.createRunning({ typeName: "lost" }, { leaseMs: 1 });
      await steps.untilExpired(lost);
      const taken = await steps.acquireOne({ typeName: "lost", workerId: "worker-2" });
      const givenBack = await steps.createRunning({ typeName: "back" });
      await steps.reschedule(givenBack);
      const completed = await steps.createRunning({ typeName: "completed" });
      await steps.complete(completed);
      const failed = await steps.createRunning({ typeName: "failed" });
      await steps.fail(failed);
      const deleted = await steps.createRunning({ typeName: "deleted" });
      await runInTransaction((context) =>
        stateAdapter.deleteSequences({ context, rootSequenceIds: [deleted.id] }),
      );
      const held = [lost, givenBack, completed, failed, deleted, taken];
      const checks = await stateAdapter.renewLeases({
        leases: held.map(({ id, leaseVersion }) => ({
          jobId: id,
          leaseVersion,
          leaseMs: minuteMs,
        })),
      });
      expect(checks).toEqual([
        { kind: "lost", reason: "taken_by_another_worker" },
        { kind: "lost", reason: "taken_by_another_worker" },
        { kind: "lost", reason: "already_completed" },
        { kind: "lost", reason: "already_completed" },
        { kind: "lost", reason: "not_found" },
        { kind: "held" },
      ]);
    },
  );

  rule("an old lease of the same worker is lost", async ({ steps }) => {
    const old = await steps.createRunning({}, { workerId: "w", leaseMs: 1 });
    await steps.untilExpired(old);
    const current = await steps.acquireOne({ workerId: "w", leaseMs: minuteMs });
    expect(await steps.renew(old, thirtyDaysMs)).toEqual({
      kind: "lost",
      reason: "taken_by_another_worker",
    });
    expect((await steps.get(current)).leasedUntil).toEqual(current.leasedUntil);
  });

  rule("an empty array is answered with one", async ({ stateAdapter }) => {
    expect(await stateAdapter.renewLeases({ leases: [] })).toEqual([]);
  });

  rule("the same lease twice in one call is held twice", async ({ steps, stateAdapter }) => {
    const { id: jobId, leaseVersion } = await steps.createRunning();
    const lease = { jobId, leaseVersion, leaseMs: minuteMs };
    const checks = await stateAdapter.renewLeases({ leases: [lease, lease] });
    expect(checks).toEqual([{ kind: "held" }, { kind: "held" }]);
  });

  rule(
    "Never waits for a lock: a job locked by its holder's own transaction is `held` and left as it is.",
    async ({ steps, secondSteps, capabilities, patienceMs, openTransaction }) => {
      const job = await steps.createRunning({}, { leaseMs: minuteMs });
      const transaction = await openTransaction();
      await transaction.steps.complete(job, '"mine"');
      const renewing = secondSteps.renew(job, thirtyDaysMs);
      const settled = await settlesWithin(
        renewing,
        patienceMs(capabilities.renewsLeasesBesideTransactions),
      );
      if (capabilities.renewsLeasesBesideTransactions) {
        expect(settled).toBe(true);
        expect(await renewing).toEqual({ kind: "held" });
      }
      await transaction.commit();
      await within(renewing, "renewLeases");
      expect(await steps.get(job)).toMatchObject({ status: "completed", output: '"mine"' });
    },
  );

  rule(
    "where renewals go beside transactions, one does not make the holder's transaction fail",
    async ({ steps, secondSteps, capabilities, patienceMs, openTransaction }) => {
      const job = await steps.createRunning({}, { leaseMs: minuteMs });
      const transaction = await openTransaction();
      // The snapshot of the transaction, where the store has one, is taken before the renewal.
      await transaction.steps.get(job);
      const renewing = secondSteps.renew(job, thirtyDaysMs);
      const settled = await settlesWithin(
        renewing,
        patienceMs(capabilities.renewsLeasesBesideTransactions),
      );
      if (capabilities.renewsLeasesBesideTransactions) {
        expect(settled).toBe(true);
        expect(await transaction.steps.complete(job, '"mine"')).toMatchObject({
          kind: "completed",
        });
        await transaction.commit();
        expect((await steps.get(job)).output).toBe('"mine"');
      } else {
        await transaction.rollback();
        expect(await within(renewing, "renewLeases")).toEqual({ kind: "held" });
      }
    },
  );
});

export const renewLeasesSuites: readonly StateSuite[] = [renewed];
