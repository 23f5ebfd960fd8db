// Another transaction stays open: dead index entries pile up before the due jobs. Acquiring does not walk over
// them again and again.
import pg from "pg";
import type { AnyStateAdapter } from "queuert/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStatement } from "../src/index.ts";
import {
  createLowWaterMarks,
  type LowWaterMarks,
} from "../src/state/acquire-jobs/low-water-marks.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { anEntryJob } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

const types = [{ typeName: "every", leaseMs: 60_000, limit: 500 }];

describe("when marks are used", () => {
  let now = 0;
  const rowsUpTo = (ordinal: number) =>
    Array.from({ length: 100 }, (_, index) => ({
      job: { typeName: "every", priority: 0, ordinal: ordinal - index },
      scheduledAtUs: 1_000_000 + ordinal,
    }));
  const probe = (marks: LowWaterMarks, tookMs: number, count = 100, upTo = 100): boolean => {
    const start = marks.current(types);
    marks.learn(start, rowsUpTo(upTo).slice(0, count), 100, { atUs: now, tookMs });
    return start.isFull;
  };
  const slowMs = 5;
  const quickMs = 0.3;
  /** Two slow probes of a backlog. */
  const slowed = (): LowWaterMarks => {
    const marks = createLowWaterMarks(() => now);
    probe(marks, slowMs);
    probe(marks, slowMs, 100, 200);
    return marks;
  };

  it("not while probes are quick, nor after one that was slow", () => {
    const marks = createLowWaterMarks(() => now);
    const kinds = [quickMs, slowMs, quickMs, slowMs, quickMs].map((ms) => probe(marks, ms));
    expect(kinds).toEqual([true, true, true, true, true]);
    expect(marks.current(types).isFull).toBe(true);
  });

  it("not without a backlog, however slow", () => {
    const marks = createLowWaterMarks(() => now);
    for (let round = 0; round < 5; round += 1) expect(probe(marks, slowMs, 40)).toBe(true);
  });

  it("after two slow probes: from the last acquired job", () => {
    expect(slowed().current(types)).toEqual({
      isFull: false,
      marks: [{ typeName: "every", priority: 0, scheduledAtUs: 1_000_200, ordinal: 200 }],
    });
  });

  it("a full probe that takes long takes no more than a twentieth of the time, and comes at least every half minute", () => {
    for (const [tookMs, restMs] of [
      [30, 1_000],
      [200, 4_000],
      [5_000, 30_000],
    ] as const) {
      const marks = createLowWaterMarks(() => now);
      probe(marks, tookMs);
      probe(marks, tookMs, 100, 200);
      now += restMs - 1;
      expect(marks.current(types).isFull).toBe(false);
      now += 1;
      expect(marks.current(types).isFull).toBe(true);
    }
  });

  it("a full probe follows within a second, and again while it is slow", () => {
    const marks = slowed();
    expect(probe(marks, quickMs)).toBe(false);
    now += 1_000;
    expect(probe(marks, slowMs)).toBe(true);
    expect(probe(marks, quickMs)).toBe(false);
    now += 1_000;
    expect(probe(marks, quickMs)).toBe(true);
    expect(marks.current(types).isFull).toBe(true);
  });

  it("a full probe follows at once when the marks have left too little", () => {
    const marks = slowed();
    expect(probe(marks, quickMs, 99)).toBe(false);
    expect(marks.current(types).isFull).toBe(true);
  });
});

describe.each(servers)("marks save pages on %s", (_server, databases) => {
  const jobCount = 20_000;
  const sent: PgStatement[] = [];
  let pool: pg.Pool;
  let state: AnyStateAdapter;

  beforeAll(async () => {
    const database = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 3 });
    const provider = createPgPoolStateProvider(pool);
    const adapter = await createPgStateAdapter({
      stateProvider: {
        ...provider,
        executeSql: (statement, context) => {
          sent.push(statement);
          return provider.executeSql(statement, context);
        },
      },
    });
    await adapter.migrateToLatest();
    state = adapter;
  });
  afterAll(() => pool.end());

  const pagesOf = async (statement: PgStatement): Promise<number> => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>({
        text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.sql}`,
        values: statement.params as (string | null)[],
      });
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan ?? {};
      return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
  };

  it("with a snapshot held open, a probe from the marks does not touch the dead entries before them", async () => {
    await state.createJobs({ jobs: Array.from({ length: jobCount }, () => anEntryJob()) });
    const holder = await pool.connect();
    await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await holder.query("SELECT txid_current()");
    for (let taken = 0; taken < jobCount * 0.9; taken += 500) {
      const { jobs } = await state.acquireJobs({ workerId: "w", limit: 500, types });
      expect(jobs).toHaveLength(500);
    }
    const [full] = sent.filter(({ name }) => name === "queuert_acquire_jobs");
    if (full === undefined) throw new Error("nothing was sent");
    const last = await pool.query<{ us: string; ordinal: string }>(
      `SELECT (date_part('epoch', scheduled_at) * 1000000)::bigint AS us, ordinal
      FROM queuert.job j WHERE NOT EXISTS (SELECT FROM queuert.ready r WHERE r.job_id = j.id) ORDER BY scheduled_at DESC, ordinal DESC LIMIT 1`,
    );
    const { us, ordinal } = last.rows[0] ?? { us: "", ordinal: "" };
    const params = (limit: string, marks: readonly string[]): (string | null)[] => [
      ...full.params.slice(0, 1),
      ...[limit, ...full.params.slice(2, 4), `{${limit}}`, ...marks, "{}", "{}", "0"],
      ...full.params.slice(12),
    ];
    const fromStart = { ...full, params: params("1", ["{}", "{}", "{}", "{}"]) };
    const fromMarks = {
      ...full,
      params: params("1", ["{every}", "{0}", `{${us}}`, `{${ordinal}}`]),
    };
    const pages = { fromStart: await pagesOf(fromStart), fromMarks: await pagesOf(fromMarks) };
    await holder.query("ROLLBACK");
    holder.release();
    expect(pages.fromStart).toBeGreaterThan(500);
    expect(pages.fromMarks).toBeLessThan(200);
  }, 60_000);
});
