import type { PgDatabase, PgState } from "../database.ts";
import { toStateTick } from "../schedule-row.ts";

export const listScheduleTicks = (db: PgDatabase): PgState["listScheduleTicks"] => {
  const list = db.routine("list_schedule_ticks", {
    name: "text",
    from: "timestamptz",
    to: "timestamptz",
    after_at: "timestamptz",
    after_manual: "boolean",
    order: "text",
    limit: "integer",
  });
  return async ({ context, scheduleName, from, to, after, order, limit }) => {
    if (limit <= 0) return [];
    const rows = await list(
      {
        name: scheduleName,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
        after_at: after?.tickAt.toISOString() ?? null,
        after_manual: after === null ? null : String(after.isManual),
        order,
        limit: String(limit),
      },
      context,
    );
    return rows.map(toStateTick);
  };
};
