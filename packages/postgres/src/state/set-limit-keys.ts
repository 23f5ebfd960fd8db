// Operators change keys of limits. The next acquisition reads them.
import type { LimitKeyStore } from "queuert/internal";
import { column, type PgDatabase, storableText } from "../database.ts";
import { toBoolean } from "../job-row.ts";

export const setLimitKeys = (db: PgDatabase): LimitKeyStore["setLimitKeys"] => {
  const write = db.routine("set_limit_keys", {
    limit_names: "text[]",
    keys: "text[]",
    sets_bounds: "boolean[]",
    concurrency: "integer[]",
    rate_counts: "integer[]",
    rate_per_ms: "float8[]",
    rate_bursts: "integer[]",
    weights: "integer[]",
    sets_pause: "boolean[]",
    pause_ms: "float8[]",
    pauses: "boolean[]",
    extends: "boolean[]",
    notes: "text[]",
  });
  return async ({ keys }) => {
    if (keys.length === 0) return [];
    const rows = await write({
      limit_names: column(keys, ({ limitName }) => limitName),
      keys: column(keys, ({ key }) => key),
      sets_bounds: column(keys, ({ bounds }) => bounds !== undefined),
      concurrency: column(keys, ({ bounds }) => bounds?.concurrency ?? null),
      rate_counts: column(keys, ({ bounds }) => bounds?.rate?.count ?? null),
      rate_per_ms: column(keys, ({ bounds }) => bounds?.rate?.perMs ?? null),
      rate_bursts: column(keys, ({ bounds }) => bounds?.rate?.burst ?? null),
      weights: column(keys, ({ bounds }) => bounds?.weight ?? null),
      sets_pause: column(keys, ({ pause }) => pause !== undefined),
      pause_ms: column(keys, ({ pause }) => pause?.forMs ?? null),
      pauses: column(keys, ({ pause }) => pause !== undefined && pause !== null),
      extends: column(keys, ({ pause }) => pause?.extends ?? false),
      notes: column(keys, ({ pause }) => storableText(pause?.note ?? null)),
    });
    const paused = new Set(
      rows.flatMap((row) => (toBoolean(row["was_paused"]) ? [Number(row["element"]) - 1] : [])),
    );
    return keys.map((_, index) => paused.has(index));
  };
};
