// Calls with thousands of elements, and stores in which thousands wait: the work is in proportion to the call. If each
// element were compared to each other, these would take from ten seconds to minutes.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { aJob, aKey } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

const timeoutMs = 8_000;
const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

describe.each(servers)("%s", (_, databases) => {
  let pool: pg.Pool;
  let adapter: AnyStateAdapter;

  beforeAll(async () => {
    const { url } = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: url, max: 3 });
    const created = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
    await created.migrateToLatest();
    adapter = created;
  });
  afterAll(() => pool.end());

  const start = async (jobs: Parameters<typeof aJob>[0][]): Promise<readonly string[]> => {
    const created = await adapter.createJobs({ jobs: jobs.map((job) => aJob(job)) });
    return created.map(({ job }) => job.id);
  };

  const startWaiting = async (count: number, blockerIds: readonly string[]) => {
    const jobIds = await start(
      range(count).map(() => ({ awaitsBlockers: true, onBlockerFailure: "fail" as const })),
    );
    const jobs = jobIds.map((jobId) => ({ jobId, blockerSequenceIds: blockerIds }));
    return adapter.runInTransaction((context) => adapter.addBlockers({ context, jobs }));
  };

  const take = async (typeName: string) => {
    const types = [{ typeName, leaseMs: 60_000, limit: 1 }];
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 1, types });
    return jobs.map(({ job: { id, leaseVersion } }) => ({ jobId: id, leaseVersion, error: "no" }));
  };

  it(
    "starts with keys, the first time and again",
    async () => {
      const jobs = range(8_000).map((n) => ({ deduplication: aKey(`key ${n}`) }));
      const ids = await start(jobs);
      expect(new Set(ids).size).toBe(jobs.length);
      // Each key twice in one call, too.
      const again = await adapter.createJobs({ jobs: [...jobs, ...jobs].map((job) => aJob(job)) });
      expect(again.map(({ job }) => job.id)).toEqual([...ids, ...ids]);
    },
    timeoutMs,
  );

  it(
    "jobs that wait for the same sequences",
    async () => {
      const blockerIds = await start(range(10).map(() => ({ typeName: "a blocker" })));
      const waiting = await startWaiting(5_000, blockerIds);
      expect(new Set(waiting.map(({ job }) => job.status))).toEqual(new Set(["blocked"]));
    },
    timeoutMs,
  );

  it(
    "a job with which thousands fail, and which are retried with it",
    async () => {
      const blockerIds = await start([{ typeName: "fails" }]);
      await startWaiting(8_000, blockerIds);
      const { dependants } = await adapter.failJobs({ jobs: await take("fails") });
      expect(dependants.length).toBe(8_000);
      const late = await startWaiting(1_000, blockerIds);
      expect(new Set(late.map(({ job }) => job.status))).toEqual(new Set(["failed"]));
      const ids = [...dependants.map(({ id }) => id), ...blockerIds];
      const retried = await adapter.retryFailedJobs({ ids });
      expect(new Set(retried.map(({ kind }) => kind))).toEqual(new Set(["retried"]));
    },
    timeoutMs,
  );

  it("a job that fails alone, beside thousands that wait and are not read", async () => {
    const blockerIds = await start([{ typeName: "waited for" }]);
    await startWaiting(2_000, blockerIds);
    await start([{ typeName: "alone" }]);
    const jobs = await take("alone");
    await adapter.runInTransaction(async (context) => {
      const { client } = context as unknown as { client: pg.ClientBase };
      const rowsRead = async (): Promise<number> => {
        const { rows } = await client.query<{ count: string }>(
          "SELECT pg_stat_get_xact_tuples_returned(i.indexrelid) AS count FROM pg_index i WHERE i.indrelid IN ('queuert.job'::regclass, 'queuert.job_blocker'::regclass)",
        );
        return rows.reduce((sum, { count }) => sum + Number(count), 0);
      };
      const before = await rowsRead();
      await adapter.failJobs({ context, jobs });
      await adapter.retryFailedJobs({ context, ids: jobs.map(({ jobId }) => jobId) });
      expect((await rowsRead()) - before).toBeLessThan(100);
    });
  });
});
