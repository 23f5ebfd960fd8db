import { expect } from "vitest";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const expireLeasesSuite: OperatorSuite = defineOperatorSuite("expireLeases", (rule) => {
  rule(
    "Ends the leases that a worker of this name acquired before an instant: its process is known to be gone. Their jobs are due for the next acquisition.",
    async ({ operator, steps }) => {
      const gone = await steps.createRunning({ typeName: "a" }, { workerId: "gone" });
      const other = await steps.createRunning({ typeName: "b" }, { workerId: "other" });
      await steps.untilStoreTime(gone.lastAttemptAt ?? new Date());
      const acquiredBefore = await operator.readClock();
      expect(await operator.expireLeases({ workerId: "gone", acquiredBefore })).toBe(1);
      expect(await steps.get(other)).toEqual(other);
      const again = await steps.acquireOne({ typeName: "a", workerId: "next" });
      expect(again).toMatchObject({ id: gone.id, leaseVersion: 2, leasedBy: "next" });
      // The old lease is lost.
      expect(await steps.complete(gone)).toMatchObject({ kind: "lost" });
    },
  );

  rule(
    "A lease that has expired is left as it is. So is a lease that was acquired at the instant or later.",
    async ({ operator, steps }) => {
      const expired = await steps.createRunning({ typeName: "a" }, { leaseMs: 1 });
      await steps.untilExpired(expired);
      const held = await steps.createRunning({ typeName: "b" });
      const before = await steps.get(expired);
      const acquiredBefore = held.lastAttemptAt ?? new Date();
      expect(await operator.expireLeases({ workerId: "worker-1", acquiredBefore })).toBe(0);
      expect(await steps.get(expired)).toEqual(before);
      expect(await steps.get(held)).toEqual(held);
    },
  );

  rule("Returns the number of leases.", async ({ operator, steps }) => {
    await steps.create({}, {}, {});
    const jobs = await steps.acquire({ limit: 2 });
    await steps.untilStoreTime(jobs[0]?.job.lastAttemptAt ?? new Date());
    const acquiredBefore = await operator.readClock();
    const params = { workerId: "worker-1", acquiredBefore };
    expect(await operator.expireLeases(params)).toBe(2);
    expect(await operator.expireLeases(params)).toBe(0);
  });
});
