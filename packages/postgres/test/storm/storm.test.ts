// Locks are taken in one order everywhere: 32 connections at random against the same keys, sequences and blockers. Afterwards
// nothing is deadlocked, lost or doubled. QUEUERT_STORM_MS=60000 makes it a minute.
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { extendWithCommon, seededRandom } from "queuert/testing";
import { expect, it as plainIt } from "vitest";
import { createPgStateAdapter } from "../../src/index.ts";
import { createPgPoolStateProvider } from "../../src/providers/pg.ts";
import { act, type Arena, finishAll } from "./actions.ts";

const stormMs = Number(process.env["QUEUERT_STORM_MS"] ?? 6_000);
const actorCount = 32;

// Each answers with the jobs that break it.
const invariants: Readonly<Record<string, string>> = {
  "a job waits only for a sequence that has not completed": `
    SELECT w.id FROM queuert.job w WHERE w.status = 'blocked' AND NOT EXISTS (
      SELECT FROM queuert.job_blocker b JOIN queuert.job f ON f.id = b.blocker_sequence_id
      WHERE b.job_id = w.id AND f.sequence_outcome IS DISTINCT FROM 'completed')`,
  "a job that fails with its blockers does not wait for one that has failed": `
    SELECT w.id FROM queuert.job w WHERE w.status = 'blocked' AND w.on_blocker_failure = 'fail' AND EXISTS (
      SELECT FROM queuert.job_blocker b JOIN queuert.job f ON f.id = b.blocker_sequence_id
      WHERE b.job_id = w.id AND f.sequence_outcome = 'failed')`,
  "a job knows how many sequences it waits for": `
    SELECT w.id FROM queuert.job w WHERE w.status IN ('blocked', 'open') AND w.incomplete_blockers <> (
      SELECT count(DISTINCT b.blocker_sequence_id) FROM queuert.job_blocker b
      JOIN queuert.job f ON f.id = b.blocker_sequence_id
      WHERE b.job_id = w.id AND f.sequence_outcome IS DISTINCT FROM 'completed')`,
  "one unfinished sequence stands for a key": `
    SELECT min(j.id::text) FROM queuert.job j
    WHERE j.deduplication_key IS NOT NULL AND j.sequence_outcome IS NULL
    GROUP BY j.type_name, j.deduplication_key HAVING count(*) > 1`,
  "a sequence is one job after the other, and only its last is open or ends it": `
    SELECT j.id FROM queuert.job j WHERE (j.continued_to_id IS NOT NULL) <> EXISTS (
      SELECT FROM queuert.job n WHERE n.sequence_id = j.sequence_id
        AND n.position = j.position + 1 AND n.position > 0)`,
  "a sequence's outcome is that of its last job": `
    SELECT f.id FROM queuert.job f JOIN LATERAL (
      SELECT l.status, l.position FROM queuert.job l WHERE l.sequence_id = f.id AND l.position > 0
      UNION ALL SELECT f.status, 0 ORDER BY position DESC LIMIT 1
    ) l ON true
    WHERE f.position = 0 AND f.sequence_outcome IS DISTINCT FROM
      CASE WHEN l.status IN ('completed', 'failed') THEN l.status END`,
  "an open job has either a ready row or a lease": "SELECT * FROM queuert.stray_jobs(5)",
  "an unfinished sequence holds its key": `
    SELECT f.id FROM queuert.job f WHERE f.open_key IS DISTINCT FROM
      CASE WHEN f.sequence_outcome IS NULL THEN f.deduplication_key END`,
};

const it = extendWithCommon(plainIt);

it(
  "32 connections at random: no deadlock, no lost wake-up, no duplicate",
  async ({ seed }) => {
    const server = await startPostgres({
      exclusive: true,
      // The server looks for deadlocks of this age.
      settings: { deadlock_timeout: "200ms" },
    });
    const { url } = await server.createDatabase();
    const pool = new pg.Pool({ connectionString: url, max: actorCount + 1 });
    try {
      const adapter = await createPgStateAdapter({
        stateProvider: createPgPoolStateProvider(pool, { preparedStatements: true }),
        connectionRetryConfig: { maxRetries: 0 },
      });
      await adapter.migrateToLatest();
      const random = seededRandom(seed);
      const expiredIds = new Set<string>();
      const arena: Arena = { adapter, random, sequenceIds: [], held: [], expiredIds };
      const endsAt = Date.now() + stormMs;
      let count = 0;
      const actor = async (): Promise<void> => {
        for (; Date.now() < endsAt; count += 1) await act(arena);
      };
      await Promise.all(Array.from({ length: actorCount }, actor));
      const ask = async (sql: string): Promise<unknown[]> => (await pool.query(sql)).rows;
      const check = async (): Promise<void> => {
        for (const [rule, sql] of Object.entries(invariants)) {
          expect([rule, await ask(sql)]).toEqual([rule, []]);
        }
      };
      await check();
      const running = await ask(`
        SELECT j.id::text FROM queuert.job j
        WHERE j.status = 'open' AND NOT EXISTS (SELECT FROM queuert.ready r WHERE r.job_id = j.id)`);
      await finishAll(
        arena,
        running.map((row) => (row as { id: string }).id),
      );
      await check();
      expect(count).toBeGreaterThan(actorCount * 10);
      expect(expiredIds.size).toBeGreaterThan(actorCount);
      const deadlocks = await ask(
        "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
      );
      expect(deadlocks).toEqual([{ deadlocks: 0 }]);
      // Jobs that still wait, wait for failed ones.
      const stuck =
        await ask(`SELECT w.id FROM queuert.job w WHERE w.status = 'blocked' AND NOT EXISTS (
        SELECT FROM queuert.job_blocker b JOIN queuert.job f ON f.id = b.blocker_sequence_id
        WHERE b.job_id = w.id AND (f.status IN ('failed', 'blocked') OR EXISTS (
          SELECT FROM queuert.job l
          WHERE l.sequence_id = f.id AND l.position > 0 AND l.status IN ('failed', 'blocked'))))`);
      expect(stuck).toEqual([]);
    } finally {
      await pool.end();
      await server.stop();
    }
  },
  // Finishing the remaining jobs of a long storm takes its time, too.
  2 * stormMs + 60_000,
);
