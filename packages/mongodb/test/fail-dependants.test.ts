// Failures that reach thousands of dependants: in bounded transactions, level by level, and gone on with by
// another process after a crash.
import { startMongodb } from "@queuert/test-services";
import { providedMongodb } from "@queuert/test-services/provided";
import { type Collection, MongoClient } from "mongodb";
import type { AnyStateAdapter, JobStatus } from "queuert/internal";
import { aJob, createStateSteps, type StateSteps } from "queuert/testing";
import { describe, expect, it } from "vitest";
import { createMongoStateAdapter, MongoTransactionAbortedError } from "../src/index.ts";
import { createMongodbProvider, type MongodbProvider } from "../src/providers/mongodb.ts";

interface Stored {
  readonly _id: string;
  readonly status: JobStatus;
  readonly cascade?: true;
  readonly finishedAt?: Date;
}

interface Store {
  readonly adapter: AnyStateAdapter;
  readonly steps: StateSteps;
  readonly jobs: Collection<Stored>;
  readonly client: MongoClient;
  readonly provider: MongodbProvider;
}

const open = async (stateProvider: MongodbProvider): Promise<AnyStateAdapter> => {
  const adapter = await createMongoStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  return adapter as unknown as AnyStateAdapter;
};

const withStore = async (
  run: (store: Store) => Promise<void>,
  service: Pick<ReturnType<typeof providedMongodb>, "createDatabase"> = providedMongodb(),
): Promise<void> => {
  const { url, name, drop } = await service.createDatabase();
  const client = new MongoClient(url);
  try {
    const provider = createMongodbProvider({ client, databaseName: name });
    const adapter = await open(provider);
    const steps = createStateSteps(adapter);
    await run({
      adapter,
      steps,
      jobs: client.db(name).collection("queuert_jobs"),
      client,
      provider,
    });
  } finally {
    await client.close();
    await drop();
  }
};

interface Levels {
  readonly root: { readonly jobId: string; readonly leaseVersion: number };
  readonly levels: readonly (readonly string[])[];
}

/** A running job, and levels of jobs: each job waits for the job at its place in the level before. */
const createLevels = async (
  { adapter, steps }: Pick<Store, "adapter" | "steps">,
  { depth, width }: { readonly depth: number; readonly width: number },
): Promise<Levels> => {
  const running = await steps.createRunning({ typeName: "root" });
  const waiting = { typeName: "waiting", awaitsBlockers: true, onBlockerFailure: "fail" as const };
  const created = await adapter.createJobs({
    jobs: Array.from({ length: depth * width }, () => aJob(waiting)),
  });
  const ids = created.map(({ job }) => job.id);
  const jobs = ids.map((jobId, index) => ({
    jobId,
    blockerSequenceIds: [index < width ? running.id : (ids[index - width] ?? "")],
  }));
  const add = () => adapter.runInTransaction((context) => adapter.addBlockers({ context, jobs }));
  // Jobs that wait for each other, in one call: the first attempt conflicts with its own handshake.
  await add().catch((error: unknown) => {
    if (!(error instanceof MongoTransactionAbortedError)) throw error;
    return add();
  });
  return {
    root: { jobId: running.id, leaseVersion: running.leaseVersion },
    levels: Array.from({ length: depth }, (_, level) =>
      ids.slice(level * width, (level + 1) * width),
    ),
  };
};

const statusesOf = async (
  { client, jobs }: Store,
  levels: Levels["levels"],
): Promise<JobStatus[][]> => {
  const session = client.startSession({ snapshot: true });
  const found = await jobs.find({}, { session }).toArray();
  await session.endSession();
  const byId = new Map(found.map(({ _id, status }) => [_id, status]));
  return levels.map((level) => [...new Set(level.flatMap((id) => byId.get(id) ?? []))]);
};

describe("a failure with dependants", () => {
  it(
    "outlives the lifetime of a transaction, with a line of 1,500",
    { timeout: 300_000 },
    async () => {
      const server = await startMongodb({
        exclusive: true,
        parameters: { transactionLifetimeLimitSeconds: "3" },
      });
      try {
        await withStore(async (store) => {
          const { root, levels } = await createLevels(store, { depth: 1_500, width: 1 });
          const { results, dependants } = await store.adapter.failJobs({
            jobs: [{ ...root, error: "no" }],
          });
          expect(results).toMatchObject([{ kind: "failed" }]);
          expect(dependants.map(({ id }) => id)).toEqual(levels.flat());
          expect(await store.jobs.countDocuments({ cascade: true })).toBe(0);
        }, server);
      } finally {
        await server.close();
      }
    },
  );

  it("is seen level by level, and no level by halves", { timeout: 120_000 }, () =>
    withStore(async (store) => {
      const { root, levels } = await createLevels(store, { depth: 8, width: 400 });
      const failing = store.adapter.failJobs({ jobs: [{ ...root, error: "no" }] });
      const progress = { isOver: false };
      void failing.finally(() => (progress.isOver = true));
      const seen = new Set<number>();
      while (!progress.isOver) {
        const statuses = await statusesOf(store, levels);
        for (const level of statuses) expect(level).toHaveLength(1);
        const failed = statuses.filter(([status]) => status === "failed").length;
        expect(statuses.slice(0, failed).flat()).toEqual(Array(failed).fill("failed"));
        seen.add(failed);
      }
      expect((await failing).dependants).toHaveLength(3_200);
      // Three levels to a transaction: a reader sees at least one cut.
      expect([...seen].some((failed) => failed > 0 && failed < 8)).toBe(true);
    }),
  );

  /** A process that crashes after a number of transactions: everything after them is refused. */
  const crashAfter = (provider: MongodbProvider, transactions: number): MongodbProvider => {
    let left = transactions;
    return {
      ...provider,
      runInTransaction: (callback) => {
        if (left-- <= 0) return Promise.reject(new Error("crashed"));
        return provider.runInTransaction(callback);
      },
    };
  };

  const failAndCrash = async (store: Store): Promise<Levels> => {
    const created = await createLevels(store, { depth: 100, width: 2 });
    const crashing = await open(crashAfter(store.provider, 2));
    const failing = crashing.failJobs({ jobs: [{ ...created.root, error: "no" }] });
    await expect(failing).rejects.toThrow("crashed");
    expect(await store.jobs.countDocuments({ cascade: true })).toBe(2);
    expect(await store.jobs.countDocuments({ status: "failed" })).toBe(1 + 2 * 60);
    return created;
  };

  const age = ({ jobs }: Store): Promise<unknown> =>
    jobs.updateMany({ cascade: true }, { $set: { finishedAt: new Date(Date.now() - 60_000) } });

  it("is gone on with by the next reclaim of any worker, after a crash between two levels", () =>
    withStore(async (store) => {
      await failAndCrash(store);
      // The process may still be alive: not at once.
      expect(await store.adapter.reclaimExpiredLeases({ limit: 10 })).toEqual([]);
      expect(await store.jobs.countDocuments({ status: "blocked" })).toBe(80);
      await age(store);
      // Two workers at once: one goes on, the other finds nothing left.
      await Promise.all([
        store.adapter.reclaimExpiredLeases({ limit: 10 }),
        store.adapter.reclaimExpiredLeases({ limit: 10 }),
      ]);
      expect(await store.jobs.countDocuments({ status: "failed" })).toBe(201);
      expect(await store.jobs.countDocuments({ cascade: true })).toBe(0);
    }));

  it("spares the dependants of a job that was retried after the crash", () =>
    withStore(async (store) => {
      const { root, levels } = await failAndCrash(store);
      const [first = "", second = ""] = levels[59] ?? [];
      // Its blockers come back with it.
      const ids = [root.jobId, ...levels.slice(0, 60).flatMap(([id = ""]) => id)];
      const retried = await store.adapter.retryFailedJobs({ ids });
      expect(new Set(retried.map(({ kind }) => kind))).toEqual(new Set(["retried"]));
      await age(store);
      await store.adapter.reclaimExpiredLeases({ limit: 10 });
      const statuses = await statusesOf(store, [
        [first, ...levels.slice(60).flatMap(([id = ""]) => id)],
        [second, ...levels.slice(60).flatMap(([, id = ""]) => id)],
      ]);
      expect(statuses).toEqual([["blocked"], ["failed"]]);
    }));

  it("commits as a whole in a transaction of the caller", () =>
    withStore(async (store) => {
      const { root, levels } = await createLevels(store, { depth: 70, width: 1 });
      const { adapter } = store;
      await adapter.runInTransaction(async (context) => {
        await adapter.failJobs({ context, jobs: [{ ...root, error: "no" }] });
        expect(await statusesOf(store, [levels.flat()])).toEqual([["blocked"]]);
      });
      expect(await statusesOf(store, [levels.flat()])).toEqual([["failed"]]);
    }));
});
