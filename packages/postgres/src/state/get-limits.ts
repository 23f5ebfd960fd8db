import { type StateLimitState, type StateRate, tokensAt } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../database.ts";
import { toDate, toNullableText, toText } from "../job-row.ts";
import type { PgRow } from "../state-provider.ts";

export const getLimits = (db: PgDatabase): PgState["getLimits"] => {
  const read = db.routine("get_limits", { names: "text[]" });
  return async ({ names }) => {
    if (names?.length === 0) return [];
    const rows = await read({ names: names === null ? null : column(names, (name) => name) });
    return rows.map(toLimit);
  };
};

/** A number, or null for none. */
export const toNullableNumber = (value: unknown): number | null =>
  value === null ? null : Number(value);

/** The rate in the columns that begin so. */
export const toRate = (row: PgRow, prefix = ""): StateRate | null => {
  const count = toNullableNumber(row[`${prefix}rate_count`]);
  return count === null
    ? null
    : {
        count,
        perMs: Number(row[`${prefix}rate_per_ms`]),
        burst: Number(row[`${prefix}rate_burst`]),
      };
};

const toLimit = (row: PgRow): StateLimitState => {
  const hash = toNullableText(row["declared_hash"]);
  const rate = toRate(row);
  const backAtUs = toNullableNumber(row["back_at_us"]);
  return {
    name: toText(row["name"]),
    concurrency: toNullableNumber(row["concurrency"]),
    rate,
    perKey: { concurrency: toNullableNumber(row["key_concurrency"]), rate: toRate(row, "key_") },
    agingMs: toNullableNumber(row["aging_ms"]),
    declaration: hash === null ? null : { hash, revision: Number(row["revision"]) },
    updatedAt: toDate(row["updated_at_us"]),
    running: Number(row["running"]),
    tokens: rate === null ? null : tokensAt(rate, backAtUs, Number(row["now_us"])),
  };
};
