// Plans beside workers, and beside each other: `plan` counts, `apply` writes later, and the store judges each job again.
import { expect } from "vitest";
import { defineUnionJobTypes } from "../../job-types/define-job-types.ts";
import { createOperator } from "../../operator/create-operator.ts";
import type { Operator } from "../../operator/operator-types.ts";
import { PlanRefusedError } from "../../operator/operator-errors.ts";
import { createQueuert } from "../../queuert.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import { minuteMs } from "../factories.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

/** Two operators, as of two processes: they share the store and the secret. */
const withOperators = async <T>(
  adapters: readonly [AnyStateAdapter, AnyStateAdapter],
  use: (first: Operator, second: Operator) => Promise<T>,
): Promise<T> => {
  const clients = await Promise.all(
    adapters.map((stateAdapter) =>
      createQueuert({
        ...{ stateAdapter, log: () => {}, workerRegistry: false },
        jobTypeDefinitions: defineUnionJobTypes<object>(),
      }),
    ),
  );
  const [first, second] = clients.map((queuert) => createOperator({ queuert, secret: "shared" }));
  if (first === undefined || second === undefined) throw new Error("There are two clients");
  try {
    return await use(first, second);
  } finally {
    for (const client of clients) await client.close();
  }
};

export const planAndApplySuite: OperatorSuite = defineOperatorSuite("plan and apply", (rule) => {
  rule(
    "of two operators that apply a plan at once, one does",
    async ({ stateAdapter, secondStateAdapter, steps }) => {
      for (let index = 0; index < 5; index++) await steps.createFailed({ typeName: "charge" });
      await withOperators([stateAdapter, secondStateAdapter], async (first, second) => {
        const { token, count } = await first.plan({ action: "retry", filter: "type:charge" });
        expect(count).toBe(5);
        const results = await Promise.allSettled(
          [first, second].map((operator) => operator.apply({ token, count })),
        );
        const done = results.filter((result) => result.status === "fulfilled");
        expect(done.map(({ value }) => value.done)).toEqual([5]);
        const refusal = results.find((result) => result.status === "rejected");
        expect(refusal?.reason).toBeInstanceOf(PlanRefusedError);
        expect(refusal?.reason).toMatchObject({ reason: "applied_before" });
        // Replayed, by an operator that has not applied it.
        for (const operator of [first, second]) {
          await expect(operator.apply({ token, count })).rejects.toMatchObject({
            reason: "applied_before",
          });
        }
        expect(await first.listActions()).toHaveLength(1);
      });
    },
  );

  rule(
    "refuses the jobs that others have retried or deleted meanwhile",
    async ({ stateAdapter, secondStateAdapter, steps }) => {
      const jobs: StateJob[] = [];
      for (let index = 0; index < 4; index++) jobs.push(await steps.createFailed());
      const [retried, deleted] = jobs;
      if (retried === undefined || deleted === undefined) throw new Error("There are four jobs");
      await withOperators([stateAdapter, secondStateAdapter], async (operator, other) => {
        const ids = jobs.map(({ id }) => id);
        const { token, count } = await operator.plan({ action: "retry", ids });
        const theirs = await other.plan({ action: "retry", ids: [retried.id] });
        await other.apply({ token: theirs.token, count: 1 });
        const deletion = await other.plan({ action: "delete", ids: [deleted.id] });
        await other.apply({ token: deletion.token, count: 1 });
        const result = await operator.apply({ token, count });
        expect(result).toMatchObject({ done: 2, refused: 2, total: 4 });
        expect(result.refusedJobs.map(({ id }) => id).sort()).toEqual(
          [retried.id, deleted.id].sort(),
        );
        expect(await steps.get(retried)).toMatchObject({ status: "pending" });
      });
    },
  );

  rule(
    "gives each job one outcome, if workers complete jobs that a plan cancels",
    async ({ stateAdapter, secondStateAdapter, secondSteps, steps }) => {
      const jobs = await steps.create(
        ...Array.from({ length: 40 }, () => ({ typeName: "charge" })),
      );
      await withOperators([stateAdapter, secondStateAdapter], async (operator) => {
        const { token, count } = await operator.plan({ action: "cancel", filter: "type:charge" });
        expect(count).toBe(40);
        const work = async (): Promise<string[]> => {
          const completed: string[] = [];
          for (let round = 0; round < 10; round++) {
            const options = { typeName: "charge", limit: 4, leaseMs: minuteMs };
            for (const { job } of await secondSteps.acquire(options)) {
              const { kind } = await secondSteps.complete(job);
              if (kind === "completed") completed.push(job.id);
            }
          }
          return completed;
        };
        const [result, completed] = await Promise.all([operator.apply({ token, count }), work()]);
        const after = await stateAdapter.getJobs({ ids: jobs.map(({ id }) => id) });
        const statusOf = (status: string): readonly string[] =>
          after.flatMap((job) => (job?.status === status ? [job.id] : []));
        expect(statusOf("completed").toSorted()).toEqual(completed.toSorted());
        expect(statusOf("cancelled").length + completed.length).toBe(40);
        expect(result.done).toBe(statusOf("cancelled").length);
      });
    },
  );

  rule(
    "writes nothing for a token that is forged or expired",
    async ({ stateAdapter, secondStateAdapter, steps }) => {
      const job = await steps.createFailed();
      await withOperators([stateAdapter, secondStateAdapter], async (operator) => {
        const { token } = await operator.plan({ action: "retry", ids: [job.id] });
        const [body = ""] = token.split(".");
        for (const bad of [body, `${body}.AAAA`, `${token}A`, "", "a.b"]) {
          await expect(operator.apply({ token: bad })).rejects.toMatchObject({ reason: "forged" });
        }
        expect(await steps.get(job)).toMatchObject({ status: "failed" });
        expect(await operator.listActions()).toEqual([]);
      });
    },
  );
});
