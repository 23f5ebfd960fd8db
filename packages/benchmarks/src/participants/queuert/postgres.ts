import { createPgStateAdapter, type PgStateProvider } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import pg from "pg";
import type { NotifyAdapter } from "queuert";
import {
  connectionsMax,
  createUserRows,
  inspectPostgres,
  userRowQuery,
} from "../postgres-server.ts";
import type { Opened, Participant, Target } from "../participant.ts";
import { fillQueuertPostgres } from "./fill-postgres.ts";
import { limitedWorkloads } from "./limits.ts";
import { openQueuert, type QueuertParts } from "./open-queuert.ts";

const types =
  "type_name IN ('single', 'keyed', 'step-1', 'step-2', 'step-3', 'step-4', 'step-5', 'part', 'whole')";

// By the adapter's own indexes: on a full table anything else would be a scan.
export const unfinishedInQueuert: readonly string[] = [
  "queuert.job WHERE set_aside = 'blocked' AND type_name = 'whole'",
  `queuert.ready WHERE ${types} AND priority = 0 AND scheduled_at <= clock_timestamp()`,
  // Jobs under keys.
  "queuert.ready WHERE type_name < chr(2) AND scheduled_at <= clock_timestamp()",
  `queuert.lease l CROSS JOIN LATERAL unnest(l.job_ids, l.lease_versions) AS u (id, version)
    JOIN queuert.job j ON j.id = u.id WHERE j.status = 'open' AND j.lease_version = u.version - 1`,
];

export const prepareQueuertPostgres = async (target: Target): Promise<void> => {
  const pool = new pg.Pool({ connectionString: target.url, max: 1 });
  try {
    const stateProvider: PgStateProvider<object, object> = createPgPoolStateProvider(pool);
    await (await createPgStateAdapter({ stateProvider })).migrateToLatest();
  } finally {
    await pool.end();
  }
  await createUserRows(target);
};

/** A notify adapter, and how to close its connections. */
export interface Transport {
  readonly notifyAdapter: NotifyAdapter;
  readonly close: () => Promise<unknown>;
}

export const openWithPg = async (
  target: Target,
  transportOn?: Transport | ((pool: pg.Pool) => Promise<Transport>),
  options: Pick<QueuertParts<object, object>, "batchSize" | "workerRegistry"> = {},
): Promise<Opened> => {
  const pool = new pg.Pool({ connectionString: target.url, max: connectionsMax });
  const transport = typeof transportOn === "function" ? await transportOn(pool) : transportOn;
  const stateProvider = createPgPoolStateProvider(pool);
  return openQueuert({
    stateAdapter: await createPgStateAdapter({ stateProvider }),
    ...(transport && { notifyAdapter: transport.notifyAdapter }),
    writeRow: ({ client }) => client.query(userRowQuery),
    ...options,
    close: async () => {
      await transport?.notifyAdapter.close();
      await transport?.close();
      await pool.end();
    },
  });
};

export const participant: Participant = {
  store: "postgres",
  settings: `pg pool of ${connectionsMax}, prepared statements, no notify adapter`,
  workloads: ["value", "callback", "chain", "fan-in", "failing", ...limitedWorkloads],
  prepare: prepareQueuertPostgres,
  open: (target) => openWithPg(target),
  inspect: (target) => inspectPostgres(target, unfinishedInQueuert),
  fill: fillQueuertPostgres,
};
