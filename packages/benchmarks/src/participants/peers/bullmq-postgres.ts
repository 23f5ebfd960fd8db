// A pool as large as the others have, and `removeOnComplete`: https://docs.bullmq.io/guide/postgresql#tuning-tips
import { createPostgresBackend, type PgPool, runMigrations, withBackend } from "bullmq";
import pg from "pg";
import type { Opened, Participant, Target } from "../participant.ts";
import {
  connectionsMax,
  createUserRows,
  inspectPostgres,
  withPgClient,
} from "../postgres-server.ts";
import { bullmqWorkloads, openBullmq } from "./bullmq-client.ts";

const open = async ({ url }: Target): Promise<Opened> => {
  const pool = new pg.Pool({
    ...{ connectionString: url, max: connectionsMax },
    // A pool that is handed over has to find the tables by itself.
    options: "-c search_path=bullmq",
  });
  // "A real pg.Pool is assignable to this", says its type of a pool; the types of pg are stricter.
  const connection = pool as unknown as PgPool;
  const opened = await openBullmq(withBackend(createPostgresBackend), { connection });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await pool.end();
    },
  };
};

export const participant: Participant = {
  store: "postgres",
  settings: `its PostgreSQL backend, a pool of ${connectionsMax}, LISTEN/NOTIFY, removeOnComplete`,
  workloads: bullmqWorkloads,
  prepare: async (target) => {
    await withPgClient(target.url, runMigrations);
    await createUserRows(target);
  },
  open,
  inspect: (target) =>
    inspectPostgres(target, [
      "bullmq.job WHERE state = 'waiting-children'",
      "bullmq.job WHERE state = 'waiting'",
      "bullmq.job WHERE state = 'active'",
    ]),
};
