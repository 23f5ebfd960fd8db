// The pages that each read of an operator touches on PostgreSQL, by the server's own count.
import pg from "pg";
import { createPgStateAdapter, type PgStatement } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createOperator } from "queuert/operator";
import { fillPostgres } from "./fill-postgres.ts";
import { type Known, reads } from "./reads.ts";

export interface MeasuredRead {
  readonly name: string;
  readonly pages: number;
  readonly pagesMax: number;
  readonly statements: number;
  readonly ms: number;
}

interface Plan {
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
}

/** Fills a database, and makes each read once. */
export const measurePostgres = async (
  url: string,
  jobCount: number,
): Promise<readonly MeasuredRead[]> => {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  try {
    const sent: PgStatement[] = [];
    const provider = createPgPoolStateProvider(pool);
    const stateAdapter = await createPgStateAdapter({
      stateProvider: {
        ...provider,
        executeSql: (statement, context) => {
          sent.push(statement);
          return provider.executeSql(statement, context);
        },
      },
    });
    await stateAdapter.migrateToLatest();
    await fillPostgres(pool, jobCount);
    const known = await findKnown(pool, jobCount);
    const jobTypeDefinitions = defineUnionJobTypes<object>();
    const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log: () => undefined });
    const measured: MeasuredRead[] = [];
    for (const { name, run, pagesMax } of reads) {
      // Without the answers that an operator keeps for a moment.
      const operator = createOperator({
        ...{ queuert, examineStep: known.examineStep, queryTimeoutMs: 600_000 },
      });
      sent.length = 0;
      const begunAt = performance.now();
      await run(operator, known);
      const ms = performance.now() - begunAt;
      const statements = sent.filter(({ name: statement }) => statement !== undefined);
      let pages = 0;
      for (const statement of statements) pages += await pagesOf(pool, statement);
      measured.push({ name, pages, pagesMax: pagesMax(known), statements: statements.length, ms });
    }
    return measured;
  } finally {
    await pool.end();
  }
};

const findKnown = async (pool: pg.Pool, jobCount: number): Promise<Known> => {
  const idOf = async (ordinal: number): Promise<string> => {
    const text = "SELECT id::text FROM queuert.job WHERE ordinal = $1";
    const { rows } = await pool.query<{ id: string }>(text, [ordinal]);
    return rows[0]?.id ?? "";
  };
  return {
    // A multiple of 3 is due.
    dueId: await idOf(jobCount - (jobCount % 3)),
    failedSequenceId: await idOf(200),
    examineStep: Math.min(100_000, Math.ceil(jobCount / 10)),
  };
};

/** Of the second run: the first one also reads the catalogue. */
const pagesOf = async (pool: pg.Pool, statement: PgStatement): Promise<number> => {
  const client = await pool.connect();
  try {
    await pagesOnce(client, statement);
    return await pagesOnce(client, statement);
  } finally {
    client.release();
  }
};

const pagesOnce = async (client: pg.PoolClient, { sql, params }: PgStatement): Promise<number> => {
  const { rows } = await client.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
    [...params],
  );
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
  return (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
};
