// A database, a client of an ORM and Queuert over it, for each test of a `describe`.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { createQueuert, type DefineContinuationOutput, defineUnionJobTypes } from "queuert";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { createPgStateAdapter } from "../../src/index.ts";
import { createDoneSql, type OpenOrm, type OrmClient } from "./orm-client.ts";

const jobTypeDefinitions = defineUnionJobTypes<{
  first: {
    entry: true;
    input: { fails: boolean };
    output: DefineContinuationOutput<"next">;
  };
  next: { input: null; output: { last: true } };
}>();

const openQueuert = async ({ stateProvider }: OrmClient) => {
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  await stateAdapter.migrateToLatest();
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log: () => undefined });
  return { stateAdapter, queuert };
};

export interface OrmRig {
  readonly orm: OrmClient;
  readonly queuert: Awaited<ReturnType<typeof openQueuert>>["queuert"];
  readonly stateAdapter: Awaited<ReturnType<typeof openQueuert>>["stateAdapter"];
  /** The committed rows and jobs. */
  counts(): Promise<unknown>;
}

/** Registers the hooks of a `describe`. The rig is there while a test runs. */
export const useOrmRig = (open: OpenOrm): OrmRig => {
  const rig = {
    counts: async () => {
      const { rows } = await pool.query(
        `SELECT (SELECT count(*)::int FROM done) AS rows, (SELECT count(*)::int FROM queuert.job) AS jobs`,
      );
      return rows[0] as unknown;
    },
  } as { -readonly [TKey in keyof OrmRig]: OrmRig[TKey] };
  let pool: pg.Pool;
  beforeAll(async () => {
    const { url } = await providedPostgres().createDatabase();
    pool = new pg.Pool({ connectionString: url, max: 1 });
    await pool.query(createDoneSql);
    // One connection for transactions: the next transaction begins on the connection of the last one.
    rig.orm = await open(url, { connectionsMax: 2 });
    Object.assign(rig, await openQueuert(rig.orm));
  });
  afterAll(async () => {
    await rig.queuert.close();
    await rig.orm.close();
    await pool.end();
  });
  beforeEach(async () => {
    await pool.query("TRUNCATE queuert.job, queuert.ready, queuert.lease, done");
  });
  return rig;
};
