import { createPgNotifyAdapter } from "@queuert/postgres";
import { createPgPoolNotifyProvider } from "@queuert/postgres/pg";
import type { Participant } from "../participant.ts";
import { openWithPg, participant as silent } from "./postgres.ts";

export const participant: Participant = {
  ...silent,
  settings: "as queuert-postgres, LISTEN/NOTIFY over the same pool, as in the README",
  open: (target) =>
    openWithPg(target, async (pool) => {
      const provider = createPgPoolNotifyProvider(pool);
      const notifyAdapter = await createPgNotifyAdapter({ provider });
      return { notifyAdapter, close: async () => undefined };
    }),
};
