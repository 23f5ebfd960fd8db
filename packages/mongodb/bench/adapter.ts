// The same work through the adapter.
import type { MongoClient } from "mongodb";
import type { JobCompletion, StateJob } from "queuert/internal";
import { aJob, jobs } from "queuert/testing";
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import type { Floors } from "./floors.ts";

const workerId = "bench";

const toCompletion = ({ id, leaseVersion }: StateJob): JobCompletion => ({
  jobId: id,
  leaseVersion,
  outcome: { kind: "output", output: '"done"' },
});

export interface AdapterBench extends Floors {
  /** Starts one job in a transaction with a write of the user's. */
  startOne(): Promise<void>;
}

export const openAdapterBench = async (
  client: MongoClient,
  name: string,
): Promise<AdapterBench> => {
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  const adapter = await createMongoStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  const effects = client.db(name).collection<{ _id: string }>("effects");
  const input = '{"to":"somebody@example.com"}';

  const claim = async (limit: number): Promise<readonly StateJob[]> => {
    const types = [{ typeName: "task", leaseMs: 60_000, limit }];
    const { jobs: acquired } = await adapter.acquireJobs({ workerId, limit, types });
    return acquired.map(({ job }) => job);
  };

  return {
    insert: async (count) => {
      await adapter.createJobs({ jobs: jobs(count, { input }) });
    },
    startOne: async () => {
      await adapter.runInTransaction(async (context) => {
        await adapter.createJobs({ context, jobs: [aJob({ input })] });
      });
    },
    claimAndComplete: async () => {
      const taken = await claim(100);
      if (taken.length === 0) return 0;
      await adapter.completeJobs({ workerId, completions: taken.map(toCompletion) });
      return taken.length;
    },
    transactionEach: async (count) => {
      for (const job of await claim(count)) {
        await adapter.runInTransaction(async (context) => {
          await effects.insertOne({ _id: job.id }, { session: context.session });
          await adapter.completeJobs({ context, workerId, completions: [toCompletion(job)] });
        });
      }
    },
  };
};
