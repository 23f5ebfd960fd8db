// Whether completing jobs looks first for what else it has to lock: while looks find something, and for a while after. What is
// stored is the same either way.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { aContinuation, aJob } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStatement } from "../src/index.ts";
import { createLockScanHeuristic } from "../src/lock-scan-heuristic.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

it("looks after something was found, until a hundred looks in a row have found nothing", () => {
  const heuristic = createLockScanHeuristic();
  const afterNothing = (count: number): boolean => {
    for (let call = 0; call < count; call += 1) heuristic.learn(false);
    return heuristic.isWorthIt;
  };
  expect(afterNothing(3)).toBe(false);
  heuristic.learn(true);
  expect(afterNothing(99)).toBe(true);
  heuristic.learn(true);
  expect(afterNothing(99)).toBe(true);
  expect(afterNothing(1)).toBe(false);
});

describe("an adapter", () => {
  const [, databases] = servers[0] ?? [];
  const sent: PgStatement[] = [];
  let pool: pg.Pool;
  let adapter: AnyStateAdapter;

  beforeAll(async () => {
    const database = await databases?.().createDatabase();
    pool = new pg.Pool({ connectionString: database?.url, max: 3 });
    const provider = createPgPoolStateProvider(pool);
    const pgAdapter = await createPgStateAdapter({
      stateProvider: {
        ...provider,
        executeSql: (statement, context) => {
          if (statement.name === "queuert_complete_jobs") sent.push(statement);
          return provider.executeSql(statement, context);
        },
      },
    });
    await pgAdapter.migrateToLatest();
    adapter = pgAdapter;
  });
  afterAll(() => pool.end());

  /** Completes what is due; answers whether the last call of it has looked first. */
  const completeDue = async (continuedId?: string): Promise<string | null | undefined> => {
    const types = [{ typeName: "task", leaseMs: 60_000, limit: 10 }];
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 10, types });
    const { results } = await adapter.completeJobs({
      workerId: "w",
      completions: jobs.map(({ job }) => ({
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        outcome:
          job.id === continuedId
            ? { kind: "continuation", job: aContinuation(job, { typeName: "task" }) }
            : { kind: "output", output: "1" },
      })),
    });
    expect(results.map(({ kind }) => kind)).toEqual(jobs.map(() => "completed"));
    return sent.at(-1)?.params.at(-2);
  };

  it("ends sequences and releases who waits, whether it has looked first or not", async () => {
    const rounds = [];
    for (let round = 0; round < 2; round += 1) {
      const [first, single] = await adapter.createJobs({
        jobs: [aJob({ typeName: "task" }), aJob({ typeName: "task" })],
      });
      const [waiting] = await adapter.createJobs({
        jobs: [aJob({ typeName: "other", awaitsBlockers: true })],
      });
      const ids = [first, single].map((created) => created?.job.id ?? "");
      await adapter.runInTransaction((context) =>
        adapter.addBlockers({
          context,
          jobs: [{ jobId: waiting?.job.id ?? "", blockerSequenceIds: ids }],
        }),
      );
      const looked = [await completeDue(ids[0]), await completeDue()];
      const stored = await adapter.getSequences({ ids: [...ids, waiting?.job.id ?? ""] });
      rounds.push({ looked, statuses: stored.map((sequence) => sequence?.current.status) });
    }
    // The first call did not look: the dependant of the single job made it begin again.
    const statuses = ["completed", "completed", "pending"];
    expect(rounds).toEqual([
      { looked: ["false", "true"], statuses },
      { looked: ["true", "true"], statuses },
    ]);
  });
});
