import type { StatePause } from "queuert/internal";
import type { PgDatabase, PgState } from "../database.ts";
import { toDate, toNullableText, toText } from "../job-row.ts";
import { everyType } from "./pause.ts";

export const getPauses = (db: PgDatabase): PgState["getPauses"] => {
  const read = db.routine("get_pauses", {});
  return async () =>
    (await read({})).map((row): StatePause => {
      const typeName = toText(row["type_name"]);
      const until = row["paused_until_us"];
      return {
        typeName: typeName === everyType ? null : typeName,
        pausedAt: toDate(row["paused_at_us"]),
        until: until === null ? null : toDate(until),
        note: toNullableText(row["note"]),
      };
    });
};
