// Transactions of users at stricter levels that overlook each other's writes: the server refuses all but one. Those that start jobs
// get its error as it is; those of workers have failed, and their attempts run again. Each counts once in the end.
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../../src/index.ts";
import type { PgTxContext } from "../../src/providers/pg.ts";
import { createPgProviderAtLevel, servers } from "../fixtures.ts";

const jobTypeDefinitions = defineUnionJobTypes<{ count: { input: null; output: number } }>();

/** The first so many wait for each other; the rest go through. */
const createBarrier = (size: number): (() => Promise<void>) => {
  let arrived = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    arrived += 1;
    if (arrived >= size) open();
    return opened;
  };
};

const atOnce = 4;

describe.each(
  servers.flatMap(([name, databases]) =>
    ["REPEATABLE READ", "SERIALIZABLE"].map((level) => ({ name, databases, level })),
  ),
)("$level on $name", ({ databases, level }) => {
  let pool: pg.Pool;

  beforeEach(async () => {
    const { url } = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: url, max: 20 });
    await pool.query("CREATE TABLE counter (n integer NOT NULL)");
    await pool.query("INSERT INTO counter VALUES (0)");
  });
  afterEach(() => pool.end());

  const open = async () => {
    const stateAdapter = await createPgStateAdapter({
      stateProvider: createPgProviderAtLevel(pool, level),
    });
    await stateAdapter.migrateToLatest();
    return createQueuert({ stateAdapter, jobTypeDefinitions });
  };

  /** Reads, lets the others read, and writes: without the server's care most of it would be lost. */
  const addOne = async ({ client }: PgTxContext, meet: () => Promise<void>): Promise<number> => {
    const { rows } = await client.query<{ n: number }>("SELECT n FROM counter");
    await meet();
    const n = (rows[0]?.n ?? 0) + 1;
    await client.query("UPDATE counter SET n = $1", [n]);
    return n;
  };

  const look = async (sql: string): Promise<unknown> => (await pool.query(sql)).rows;

  it("transactions that start jobs: the server's error surfaces, and running them again helps", async () => {
    const queuert = await open();
    const meet = createBarrier(atOnce);
    const conflicts: unknown[] = [];
    const startOne = async (): Promise<void> => {
      try {
        await queuert.transaction(async (context) => {
          await queuert.startJobSequence({ ...context, typeName: "count", input: null });
          await addOne(context, meet);
        });
      } catch (error) {
        conflicts.push(error);
        await startOne();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, startOne));
    expect(conflicts.length).toBeGreaterThanOrEqual(atOnce - 1);
    for (const error of conflicts) expect(error).toMatchObject({ code: "40001" });
    expect(await look("SELECT n FROM counter")).toEqual([{ n: atOnce }]);
    expect(await look("SELECT count(*)::int FROM queuert.ready")).toEqual([{ count: atOnce }]);
    await queuert.close();
  });

  it("completions by workers: each is stored once, after as many attempts as it takes", async () => {
    const queuert = await open();
    const meet = createBarrier(atOnce);
    const count = 3 * atOnce;
    const started = await queuert.transaction((context) =>
      queuert.startJobSequences({
        ...context,
        sequences: Array.from(
          { length: count },
          () => ({ typeName: "count", input: null }) as const,
        ),
      }),
    );
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "count",
        retryConfig: { initialDelayMs: 10, maxDelayMs: 100 },
        process: ({ complete }) => complete((context) => addOne(context, meet)),
      })
      .start({ concurrency: atOnce });
    const done = await Promise.all(
      started.map(({ id }) =>
        queuert.waitForJobSequenceCompletion({ typeName: "count", id, timeoutMs: 20_000 }),
      ),
    );
    await worker.stop();
    const outputs = done.map(({ output }) => output).toSorted((a, b) => a - b);
    expect(outputs).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(await look("SELECT n FROM counter")).toEqual([{ n: count }]);
    const [again] = (await look(
      "SELECT count(*)::int AS jobs FROM queuert.job WHERE attempt > 1 AND last_attempt_error LIKE '%could not serialize%'",
    )) as { jobs: number }[];
    expect(again?.jobs).toBeGreaterThanOrEqual(atOnce - 1);
    await queuert.close();
  });
});
