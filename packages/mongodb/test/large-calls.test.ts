// Calls with thousands of elements take time in proportion to them, and the cost of a job does not grow
// with the jobs before it. Each case runs with n elements and with four times as many, in stores of their
// own. A quadratic step then takes sixteen times as long. The machine may be busy, so one good round of
// several is enough: no round of a quadratic step is good.
import { providedMongodb } from "@queuert/test-services/provided";
import { MongoClient } from "mongodb";
import type { AnyStateAdapter } from "queuert/internal";
import { aJob, aKey } from "queuert/testing";
import { describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

interface Steps {
  readonly adapter: AnyStateAdapter;
  start(jobs: Parameters<typeof aJob>[0][]): Promise<readonly string[]>;
  startWaiting(blockerIds: readonly (readonly string[])[]): Promise<readonly string[]>;
  acquireFailing(): Promise<{ jobId: string; leaseVersion: number; error: string }[]>;
}

const withStore = async <T>(
  run: (steps: Steps, client: MongoClient, name: string) => Promise<T>,
): Promise<T> => {
  const { url, name, drop } = await providedMongodb().createDatabase();
  const client = new MongoClient(url);
  try {
    const stateProvider = createMongodbProvider({ client, databaseName: name });
    const created = await createMongoStateAdapter({ stateProvider });
    await created.migrateToLatest();
    return await run(createSteps(created as unknown as AnyStateAdapter), client, name);
  } finally {
    await client.close();
    await drop();
  }
};

const createSteps = (adapter: AnyStateAdapter): Steps => {
  const start: Steps["start"] = async (jobs) => {
    const created = await adapter.createJobs({ jobs: jobs.map((job) => aJob(job)) });
    return created.map(({ job }) => job.id);
  };
  return {
    adapter,
    start,
    startWaiting: async (blockerIds) => {
      const jobIds = await start(
        blockerIds.map(() => ({ awaitsBlockers: true, onBlockerFailure: "fail" as const })),
      );
      const jobs = jobIds.map((jobId, index) => ({
        ...{ jobId, blockerSequenceIds: blockerIds[index] ?? [] },
      }));
      const added = await adapter.runInTransaction((context) =>
        adapter.addBlockers({ context, jobs }),
      );
      expect(added.filter(({ missing }) => missing.length > 0)).toEqual([]);
      return jobIds;
    },
    acquireFailing: async () => {
      const types = [{ typeName: "fails", leaseMs: 60_000, limit: 1 }];
      const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
      return jobs.map(({ job: { id, leaseVersion } }) => ({
        ...{ jobId: id, leaseVersion, error: "no" },
      }));
    },
  };
};

/** By name: a case of n elements. */
const cases: Record<string, (steps: Steps, n: number) => Promise<void>> = {
  "starts with keys, the first time and again": async ({ start }, n) => {
    const jobs = range(n).map((each) => ({ deduplication: aKey(`key ${each}`) }));
    const ids = await start(jobs);
    expect(new Set(ids).size).toBe(jobs.length);
    expect(await start([...jobs, ...jobs])).toEqual([...ids, ...ids]);
  },
  "jobs that fail with their blockers, and are retried with them": async (steps, n) => {
    const half = n / 2;
    const roots = await steps.start([{ typeName: "fails" }]);
    const waiting = await steps.startWaiting(range(half).map(() => roots));
    const second = await steps.startWaiting(waiting.map((id) => [id]));
    const failing = await steps.acquireFailing();
    expect(failing.map(({ jobId }) => jobId)).toEqual(roots);
    const { dependants } = await steps.adapter.failJobs({ jobs: failing });
    expect(dependants.map(({ id }) => id).sort()).toEqual([...waiting, ...second].sort());
    const causeOf = new Map(dependants.map(({ id, error }) => [id, error]));
    expect(causeOf.get(second[7] ?? "")).toContain(waiting[7]);
    // The dependants first, and one whose blocker stays failed.
    const ids = [...second, ...waiting.slice(1), ...roots];
    const retried = await steps.adapter.retryFailedJobs({ ids });
    expect(retried.map(({ kind }) => kind)).toEqual(
      ids.map((_, index) => (index === 0 ? "refused" : "retried")),
    );
    expect(retried[0]).toMatchObject({ reason: "blocker_failed", bySequenceId: waiting[0] });
  },
  "a job with thousands of blockers, and a tree of as many": async (steps, n) => {
    const { adapter, start, startWaiting } = steps;
    const [root = ""] = await start([{ typeName: "root" }]);
    const blockers = await start(range(n).map(() => ({ rootSequenceId: root, originId: root })));
    await startWaiting([blockers]);
    const deleted = await adapter.runInTransaction((context) =>
      adapter.deleteSequences({ context, rootSequenceIds: [root] }),
    );
    expect(deleted).toMatchObject({ kind: "blocking" });
    expect(deleted.kind === "blocking" ? deleted.edges.length : 0).toBe(n);
  },
};

const fewCount = 2_000;
const growthMax = 9;
const roundsMax = 5;

describe("calls with thousands of elements", () => {
  it.each(Object.keys(cases))(
    "%s: four times as many take not nine times as long",
    {
      timeout: 300_000,
    },
    async (name) => {
      const timed = (n: number): Promise<number> =>
        withStore(async (steps) => {
          const startedAt = performance.now();
          await cases[name]?.(steps, n);
          return performance.now() - startedAt;
        });
      const growths: number[] = [];
      do {
        const few = await timed(fewCount);
        growths.push((await timed(4 * fewCount)) / few);
      } while (Math.min(...growths) >= growthMax && growths.length < roundsMax);
      expect(Math.min(...growths)).toBeLessThan(growthMax);
    },
  );
});

it("a waiter of a sequence does not read the intents of earlier waiters", () =>
  withStore(async ({ start, startWaiting }, client, name) => {
    const [blocker = ""] = await start([{ typeName: "popular" }]);
    await startWaiting([[blocker]]);
    const waits = client.db(name).collection<{ _id: string }>("queuert_waits");
    const before = range(500).map((n) => ({
      ...{ _id: `m${n}:${blocker}`, sequenceId: blocker, markerId: `m${n}` },
      ...{ intent: "waiting", at: new Date() },
    }));
    await waits.insertMany(before);
    const ending = waits.find({ sequenceId: { $in: [blocker] }, intent: "ending" });
    const { executionStats } = (await ending.explain("executionStats")) as {
      executionStats: { totalKeysExamined: number };
    };
    expect(executionStats.totalKeysExamined).toBeLessThan(5);
  }));
