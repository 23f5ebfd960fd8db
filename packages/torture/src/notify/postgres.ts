import { createPgNotifyAdapter } from "@queuert/postgres";
import { createPgPoolNotifyProvider } from "@queuert/postgres/pg";
import pg from "pg";
import { type OpenTransportAt, pingIntervalMs } from "./transport.ts";

export const open: OpenTransportAt = async (url) => {
  const pool = new pg.Pool({ connectionString: url, max: 2, query_timeout: 2_000 });
  const provider = createPgPoolNotifyProvider(pool);
  const notify = await createPgNotifyAdapter({ provider, pingIntervalMs });
  return { notify, close: () => pool.end() };
};
