// The parts that the participants on PostgreSQL share: the size of their pools, the user's table,
// the view from outside.
import pg from "pg";
import { drainedAtBy, type Inspector, type Target } from "./participant.ts";

/** Every participant on PostgreSQL has so many connections per process. */
export const connectionsMax = 20;

export const withPgClient = async <T>(
  url: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

/** A transaction of the user: a row of the user's, and the start of a job on the same connection. */
export const inUserTransaction = async (
  pool: pg.Pool,
  start: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(userRowQuery);
    await start(client);
    await client.query("COMMIT");
  } finally {
    client.release();
  }
};

/** The row of a user, as a prepared statement. */
export const userRowQuery = {
  name: "write",
  text: "INSERT INTO user_row (text) VALUES ($1)",
  values: ["done"],
};

export const createUserRows = async ({ url }: Target): Promise<void> => {
  await withPgClient(url, (client) =>
    client.query("CREATE TABLE user_row (id bigserial PRIMARY KEY, text text NOT NULL)"),
  );
};

/** `unfinished`: each a table and a condition, as after FROM, in the order in which a job meets them. */
export const inspectPostgres = async (
  target: Target,
  unfinished: readonly string[],
): Promise<Inspector> => {
  const client = new pg.Client({ connectionString: target.url });
  await client.connect();
  const ask = async <T>(sql: string): Promise<T | undefined> => {
    const { rows } = await client.query<{ value: T }>(sql);
    return rows[0]?.value;
  };
  const countOf = (from: string): string => `(SELECT count(*)::int FROM ${from})`;
  const looks = unfinished.map((from) => async (): Promise<boolean> => {
    return (await ask<boolean>(`SELECT EXISTS (SELECT 1 FROM ${from}) AS value`)) === true;
  });
  return {
    unfinishedCount: async () =>
      (await ask<number>(`SELECT ${unfinished.map(countOf).join(" + ")} AS value`)) ?? Number.NaN,
    drainedAt: () => drainedAtBy(looks),
    writtenCount: () => ask<number>("SELECT count(*)::int AS value FROM user_row"),
    settle: async () => {
      await client.query("VACUUM (ANALYZE)");
      await client.query("CHECKPOINT");
    },
    close: () => client.end(),
  };
};
