import { expect } from "vitest";
import { append } from "./append-logs.suite.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const listProgressSuite: OperatorSuite = defineOperatorSuite("listProgress", (rule) => {
  rule(
    "The last progress of each job. Undefined for a job without one, or that does not exist.",
    async (test) => {
      const { steps, operator } = test;
      const first = await steps.createOne();
      const second = await steps.createOne();
      const without = await steps.createOne();
      const absent = await steps.absentId();
      const progress = [
        { jobId: first.id, leaseVersion: 1, fraction: 0.125, note: 'odd "$note". 🙂' },
        { jobId: second.id, leaseVersion: 4, fraction: null, note: null },
      ];
      await append(test, { progress });
      const jobIds = [second.id, absent, first.id, without.id];
      const [ofSecond, ofAbsent, ofFirst, none] = await operator.listProgress({ jobIds });
      expect(ofFirst).toEqual({
        ...{ leaseVersion: 1, fraction: 0.125, note: 'odd "$note". 🙂' },
        at: ofFirst?.at,
      });
      expect(ofSecond).toEqual({ leaseVersion: 4, fraction: null, note: null, at: ofSecond?.at });
      expect(ofFirst?.at.getTime()).toBeLessThanOrEqual((await operator.readClock()).getTime());
      expect([ofAbsent, none]).toEqual([undefined, undefined]);
      expect(await operator.listProgress({ jobIds: [] })).toEqual([]);
    },
  );
});
