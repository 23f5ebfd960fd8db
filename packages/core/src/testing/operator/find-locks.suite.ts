import { expect } from "vitest";
import { explainJob } from "../../operator/explain/explain.ts";
import { holdTransaction } from "../open-transaction.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const findLocksSuite: OperatorSuite = defineOperatorSuite("findLocks", (rule) => {
  rule(
    "The transaction that keeps each pending job from being acquired; undefined for a job that none keeps.",
    async ({ operator, steps, stateAdapter, isTransactionConflict }) => {
      const [locked, free] = await steps.create({}, {});
      const running = await steps.createRunning({ typeName: "running" });
      if (locked === undefined || free === undefined) throw new Error("No jobs");
      const ids = [free.id, locked.id, running.id, await steps.absentId()];
      expect(await operator.findLocks({ ids })).toEqual(ids.map(() => undefined));
      const held = holdTransaction(stateAdapter, (inside) => inside.cancel([locked]), {
        isTransactionConflict,
      });
      await held.operated;
      const [, lock, ...others] = await operator.findLocks({ ids });
      expect(lock).toMatchObject({ pid: expect.any(Number), application: expect.any(String) });
      expect(others).toEqual([undefined, undefined]);
      const { reasons, verdict } = await explainJob(stateAdapter, locked.id);
      expect([reasons[0]?.kind, verdict]).toEqual(["locked", "waits"]);
      const taken = await steps.acquire({ limit: 10 });
      expect(taken.map(({ job }) => job.id)).toEqual([free.id]);
      held.end("rollback");
      await held.done;
      expect(await operator.findLocks({ ids: [locked.id] })).toEqual([undefined]);
      expect((await steps.acquire()).map(({ job }) => job.id)).toEqual([locked.id]);
    },
  );
});
