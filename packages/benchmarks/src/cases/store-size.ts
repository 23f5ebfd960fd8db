// How much a store has on disk, as the store itself reports it.
import { statSync } from "node:fs";
import type { Store, Target } from "../participants/participant.ts";
import { withMongodb } from "../participants/mongodb-server.ts";
import { withPgClient } from "../participants/postgres-server.ts";

export interface StoreSize {
  readonly bytes: number;
  /** Rows that are over, but not cleaned away; undefined where a store does not count them. */
  readonly deadRows?: number;
}

const sizeOfPostgres = (url: string): Promise<StoreSize> =>
  withPgClient(url, async (client) => {
    // The numbers of a session that has ended are there a moment later; those of this moment are asked for.
    const { rows } = await client.query<{ bytes: number; deadRows: number }>(
      `SELECT pg_database_size(current_database())::float8 AS bytes,
        (SELECT coalesce(sum(pg_stat_get_dead_tuples(relid)), 0)::float8 FROM pg_stat_user_tables) AS "deadRows"`,
    );
    return rows[0] ?? { bytes: 0, deadRows: 0 };
  });

const sizeOfFile = (filename: string): StoreSize => {
  const sizes = ["", "-wal"].map(
    (suffix) => statSync(filename + suffix, { throwIfNoEntry: false })?.size ?? 0,
  );
  return { bytes: sizes.reduce((sum, size) => sum + size, 0) };
};

const sizeOfMongodb = (target: Target): Promise<StoreSize> =>
  withMongodb(target, async (client) => {
    const { storageSize, indexSize } = await client.db().command({ dbStats: 1 });
    return { bytes: Number(storageSize) + Number(indexSize) };
  });

export const storeSize = async (store: Store, target: Target): Promise<StoreSize> => {
  if (store === "postgres") return sizeOfPostgres(target.url);
  if (store === "sqlite") return sizeOfFile(target.url);
  if (store === "mongodb") return sizeOfMongodb(target);
  throw new Error(`The size of ${store} is not known`);
};
