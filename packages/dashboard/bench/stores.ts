// The stores of the measurement, each empty and with its migrations. `copy` multiplies finished jobs in one statement of the
// database: a million starts would take longer than all measurements.
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { startMongodb } from "@queuert/test-services/mongodb";
import { startPostgres } from "@queuert/test-services/postgres";
import BetterSqlite3 from "better-sqlite3";
import { MongoClient } from "mongodb";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import type { StateAdapter } from "queuert";

type Context = Record<never, never>;

export interface MeasuredStore {
  readonly stateAdapter: StateAdapter<Context, Context, string>;
  /**
   * Copies the finished jobs of the store until it has `count` of them, created evenly over the last week. Call it before other
   * jobs are started, so that these are newer.
   */
  readonly copy: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const weekMs = 7 * 86_400_000;

const openPostgres = async (): Promise<MeasuredStore> => {
  const server = await startPostgres({ durability: "default" });
  const { url } = await server.createDatabase();
  const pool = new Pool({ connectionString: url, max: 10 });
  // Stopping the server ends connections that are already closing.
  pool.on("error", () => undefined);
  const stateAdapter = await createPgStateAdapter({
    stateProvider: createPgPoolStateProvider(pool),
  });
  await stateAdapter.migrateToLatest();
  return {
    stateAdapter,
    copy: async (count) => {
      const { rows } = await pool.query<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = 'queuert' AND table_name = 'job' AND is_identity = 'NO'`,
      );
      const names = rows.map(({ name }) => name);
      const values = names.map((name) => {
        if (["id", "sequence_id", "root_sequence_id"].includes(name)) return "copy.id";
        return name.endsWith("_at") ? `source.${name} - copy.age` : `source.${name}`;
      });
      await pool.query(
        `WITH source AS (SELECT *, row_number() OVER (ORDER BY ordinal) - 1 AS place, count(*) OVER () AS many FROM queuert.job)
         INSERT INTO queuert.job (${names.join(", ")})
         SELECT ${values.join(", ")}
         FROM (SELECT n, gen_random_uuid() AS id, (1 - n::float8 / $1) * interval '${weekMs} milliseconds' AS age
           FROM generate_series(1, $1::integer) AS n) AS copy
         JOIN source ON source.place = copy.n % source.many
         ORDER BY copy.n`,
        [count],
      );
      await pool.query("VACUUM (ANALYZE)");
    },
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
};

const isNode20 = process.versions.node.startsWith("20.");
const driver: typeof BetterSqlite3 = isNode20
  ? BetterSqlite3
  : (createRequire(import.meta.url)("better-sqlite3-node22") as typeof BetterSqlite3);

const openSqlite = async (): Promise<MeasuredStore> => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-latency-"));
  const filename = join(folder, "jobs.db");
  const stateProvider = await createBetterSqlite3Provider({ filename, driver });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  return {
    stateAdapter,
    copy: async (count) => {
      const database = new driver(filename);
      const names = (database.pragma("table_info(queuert_job)") as { name: string }[]).map(
        ({ name }) => name,
      );
      const values = names.map((name) => {
        if (name === "ordinal") return "many + n";
        if (name === "id") return "printf('%s-%08x', substr(source.id, 1, 13), n)";
        return name.endsWith("_at") ? `source.${name} - age` : `source.${name}`;
      });
      database.exec(
        `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < ${count}),
           copy AS (SELECT n, CAST((1 - n * 1.0 / ${count}) * ${weekMs} AS INTEGER) AS age FROM numbered),
           source AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY ordinal) - 1 AS place, count(*) OVER () AS many
             FROM queuert_job)
         INSERT INTO queuert_job (${names.join(", ")})
         SELECT ${values.join(", ")} FROM copy CROSS JOIN source ON source.place = n % many ORDER BY n;
         UPDATE queuert_ordinal SET last = (SELECT max(ordinal) FROM queuert_job);
         ANALYZE`,
      );
      database.close();
    },
    close: async () => {
      await stateProvider.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const openMongodb = async (): Promise<MeasuredStore> => {
  const server = await startMongodb({ durability: "default" });
  const client = new MongoClient((await server.createDatabase()).url);
  const stateAdapter = await createMongoStateAdapter({
    stateProvider: createMongodbProvider({ client }),
  });
  await stateAdapter.migrateToLatest();
  return {
    stateAdapter,
    copy: async (count) => {
      const jobs = client.db().collection<{ _id: string }>("queuert_jobs");
      const sources = await jobs.find().sort({ ordinal: 1 }).toArray();
      const size = 10_000;
      for (let begin = 1; begin <= count; begin += size) {
        const ends = Math.min(count, begin + size - 1);
        const copies = Array.from({ length: ends - begin + 1 }, (_, index) => {
          const number = begin + index;
          const source = sources[number % sources.length] ?? {};
          const age = (1 - number / count) * weekMs;
          const aged = Object.entries(source).map(([name, value]) => [
            name,
            value instanceof Date ? new Date(value.getTime() - age) : value,
          ]);
          const _id = `${String(sources[number % sources.length]?._id).slice(0, 13)}-${number.toString(16).padStart(8, "0")}`;
          return { ...Object.fromEntries(aged), _id, ordinal: sources.length + number };
        });
        await jobs.insertMany(copies, { ordered: false });
      }
      await client
        .db()
        .collection<{ _id: string }>("queuert_counters")
        .updateOne({ _id: "ordinal" }, { $set: { value: sources.length + count } });
    },
    close: async () => {
      await client.close();
      await server.stop();
    },
  };
};

export const stores = {
  postgres: openPostgres,
  sqlite: openSqlite,
  mongodb: openMongodb,
} as const;
export type StoreName = keyof typeof stores;
