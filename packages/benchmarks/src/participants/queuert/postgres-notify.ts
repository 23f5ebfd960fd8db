import { createPgNotifyAdapter } from "@queuert/postgres";
import { createPgPoolNotifyProvider } from "@queuert/postgres/pg";
import pg from "pg";
import type { Participant } from "../participant.ts";
import { openWithPg, participant as silent } from "./postgres.ts";

export const participant: Participant = {
  ...silent,
  settings: "as queuert-postgres, LISTEN/NOTIFY over a pool of 3",
  open: async (target) => {
    const pool = new pg.Pool({ connectionString: target.url, max: 3 });
    const provider = createPgPoolNotifyProvider(pool);
    const notifyAdapter = await createPgNotifyAdapter({ provider });
    return openWithPg(target, { notifyAdapter, close: () => pool.end() });
  },
};
