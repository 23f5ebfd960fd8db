import { column, type PgDatabase, type PgState, storableText } from "../database.ts";

/** The name of the pause of every type: no job type has it. */
export const everyType = "";

export const pause = (db: PgDatabase): PgState["pause"] => {
  const write = db.routine("pause", {
    types: "text[]",
    for_ms: "float8",
    note: "text",
    extends: "boolean",
  });
  return async ({ targets, forMs, note, extends: isExtension = false }) => {
    if (targets.length === 0) return;
    await write({
      types: column(targets, ({ typeName }) => typeName ?? everyType),
      for_ms: forMs === null ? null : String(forMs),
      note: storableText(note),
      extends: String(isExtension),
    });
  };
};
