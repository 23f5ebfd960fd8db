import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toDate } from "../job-row.ts";

// Qualified: a statement outside a routine has the path of the session.
const now =
  "SELECT (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000000)::bigint AS now_us";

export const readClock = (db: PgDatabase): NonNullable<OperatorStore["readClock"]> => {
  const read = db.statement("read_clock", now);
  return async () => toDate((await read([]))[0]?.["now_us"]);
};
