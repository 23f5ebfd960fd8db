import { column, type PgDatabase, type PgState } from "../database.ts";
import { toBoolean } from "../job-row.ts";

export const recordTicks = (db: PgDatabase): PgState["recordTicks"] => {
  const record = db.routine("record_ticks", {
    names: "text[]",
    tick_at: "timestamptz[]",
    manual: "boolean[]",
    kinds: "text[]",
    outcomes: "text[]",
    sequence_ids: "id[]",
    fired_at: "timestamptz[]",
  });
  return async ({ context, ticks }) => {
    if (ticks.length === 0) return [];
    const rows = await record(
      {
        names: column(ticks, ({ scheduleName }) => scheduleName),
        tick_at: column(ticks, ({ tickAt }) => tickAt.toISOString()),
        manual: column(ticks, ({ kind }) => kind === "manual"),
        kinds: column(ticks, ({ kind }) => kind),
        outcomes: column(ticks, ({ outcome }) => outcome),
        sequence_ids: db.storableIds(ticks.map(({ sequenceId }) => sequenceId)),
        fired_at: column(ticks, ({ firedAt }) => firedAt.toISOString()),
      },
      context,
    );
    const idOf = (name: unknown, tickAt: number, isManual: boolean): string =>
      JSON.stringify([name, tickAt, isManual]);
    const written = new Set(
      rows.map((row) => idOf(row["name"], Number(row["tick_at"]), toBoolean(row["is_manual"]))),
    );
    return ticks.map(({ scheduleName, tickAt, kind }) =>
      written.has(idOf(scheduleName, tickAt.getTime(), kind === "manual")),
    );
  };
};
