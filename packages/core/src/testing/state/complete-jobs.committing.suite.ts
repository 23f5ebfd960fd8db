// Completing as the last statement of a transaction. If a store cannot commit in the same
// statement, then the statement followed by the commit must have the same effect. So every store
// runs these.
import { expect } from "vitest";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { CompletionResult } from "../../adapters/state-adapter-params.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { aJob } from "../factories.ts";

const rolledBack = new Error("rolled back, since a job was lost");

const canCommit = ({ capabilities }: AnyStateAdapter): boolean =>
  capabilities.completesAndCommits === true;

interface Written {
  readonly result: CompletionResult | undefined;
  /** The start in the user's part of the transaction. */
  readonly startedId: string;
}

/** Starts a job and completes another in one transaction, as a worker does for a callback that starts one. */
const startAndComplete = async (
  { stateAdapter, runInTransaction }: StateCaseContext,
  { id, leaseVersion }: StateJob,
  after: () => unknown = () => undefined,
): Promise<Written> => {
  let written: Written | undefined;
  const transaction = runInTransaction(async (context) => {
    const created = await stateAdapter.createJobs({ context, jobs: [aJob()] });
    const outcome = { kind: "output", output: "1" } as const;
    const { results } = await stateAdapter.completeJobs({
      context,
      workerId: "w",
      andCommit: canCommit(stateAdapter),
      completions: [{ jobId: id, leaseVersion, outcome }],
    });
    written = { result: results[0], startedId: created[0]?.job.id ?? "" };
    if (results[0]?.kind === "lost") throw rolledBack;
    await after();
  });
  await transaction.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  if (written === undefined) throw new Error("The transaction's callback was not run");
  return written;
};

export const completeJobsCommittingSuite: StateSuite = defineStateSuite(
  "completeJobs, committing",
  (rule) => {
    rule(
      "`andCommit`, a capability, makes it the last statement of a `runInTransaction`, which may commit with it if its only element is written",
      async (context) => {
        const { steps, stateAdapter } = context;
        const job = await steps.createRunning();
        const { result, startedId } = await startAndComplete(context, job);
        expect(result?.kind).toBe("completed");
        const stored = await stateAdapter.getJobs({ ids: [startedId, job.id] });
        expect(stored.map((one) => one?.status)).toEqual(["pending", "completed"]);
      },
    );

    rule(
      "A callback that rejects after it may find all of the transaction committed.",
      async (context) => {
        const { steps } = context;
        const job = await steps.createRunning();
        const late = new Error("too late");
        const transaction = startAndComplete(context, job, () => Promise.reject(late));
        await expect(transaction).rejects.toBe(late);
        const { status } = await steps.get(job);
        // All of it or nothing of it.
        expect(await steps.acquire({ limit: 10 })).toHaveLength(status === "completed" ? 1 : 0);
        expect(["completed", "running"]).toContain(status);
      },
    );

    rule(
      "If the element is not written, nothing is committed: it is answered as lost",
      async (context) => {
        const { steps, stateAdapter } = context;
        const [lost, next] = [await steps.createRunning(), await steps.createRunning()];
        await steps.complete(lost, '"elsewhere"', "thief");
        const { result, startedId } = await startAndComplete(context, lost);
        expect(result).toMatchObject({ kind: "lost", reason: "already_completed" });
        expect(await stateAdapter.getJobs({ ids: [startedId] })).toEqual([undefined]);
        expect(await steps.get(lost)).toMatchObject({ output: '"elsewhere"' });
        // Nothing of it is in the way of the next.
        expect((await startAndComplete(context, next)).result?.kind).toBe("completed");
      },
    );
  },
);
