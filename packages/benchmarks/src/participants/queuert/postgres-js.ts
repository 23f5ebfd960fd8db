import { createPgStateAdapter } from "@queuert/postgres";
import { createPostgresJsStateProvider } from "@queuert/postgres/postgres-js";
import postgres from "postgres";
import { connectionsMax, inspectPostgres } from "../postgres-server.ts";
import type { Participant } from "../participant.ts";
import { fillQueuertPostgres } from "./fill-postgres.ts";
import { openQueuert } from "./open-queuert.ts";
import { prepareQueuertPostgres, unfinishedInQueuert } from "./postgres.ts";

export const participant: Participant = {
  store: "postgres",
  settings: `postgres.js with ${connectionsMax} connections, prepared statements, no notify adapter`,
  workloads: ["value", "callback", "chain", "fan-in"],
  prepare: prepareQueuertPostgres,
  open: async ({ url }) => {
    const sql = postgres(url, { max: connectionsMax, onnotice: () => {} });
    const stateProvider = createPostgresJsStateProvider(sql);
    return openQueuert({
      stateAdapter: await createPgStateAdapter({ stateProvider }),
      writeRow: (context) => context.sql`INSERT INTO user_row (text) VALUES ('done')`,
      close: () => sql.end(),
    });
  },
  inspect: (target) => inspectPostgres(target, unfinishedInQueuert),
  fill: fillQueuertPostgres,
};
