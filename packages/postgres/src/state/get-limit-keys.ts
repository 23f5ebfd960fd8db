import { type LimitKeyStore, type StateLimitKeyState, tokensAt } from "queuert/internal";
import { column, type PgDatabase } from "../database.ts";
import { toBoolean, toDate, toNullableText, toText } from "../job-row.ts";
import type { PgRow } from "../state-provider.ts";
import { toNullableNumber, toRate } from "./get-limits.ts";

export const getLimitKeys = (db: PgDatabase): LimitKeyStore["getLimitKeys"] => {
  const read = db.routine("get_limit_keys", { limit_name: "text", keys: "text[]" });
  return async ({ limitName, keys }) => {
    if (keys?.length === 0) return [];
    const rows = await read({
      limit_name: limitName,
      keys: keys === null ? null : column(keys, (key) => key),
    });
    return rows.map((row) => toState(limitName, row));
  };
};

const toState = (limitName: string, row: PgRow): StateLimitKeyState => {
  const weight = toNullableNumber(row["weight"]);
  const rate = toRate(row);
  const until = toNullableNumber(row["paused_until_us"]);
  return {
    limitName,
    key: toText(row["key"]),
    bounds:
      weight === null
        ? null
        : {
            concurrency: toNullableNumber(row["own_concurrency"]),
            rate: toRate(row, "own_"),
            weight,
          },
    pause: toBoolean(row["is_paused"])
      ? { until: until === null ? null : toDate(until), note: toNullableText(row["pause_note"]) }
      : null,
    effective: { concurrency: toNullableNumber(row["concurrency"]), rate },
    running: Number(row["running"]),
    pending: Number(row["pending"]),
    tokens:
      rate === null
        ? null
        : tokensAt(rate, toNullableNumber(row["back_at_us"]), Number(row["now_us"])),
  };
};
