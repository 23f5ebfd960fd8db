import { column, type PgDatabase, type PgState } from "../database.ts";
import { toBoolean } from "../job-row.ts";

export const setLimits = (db: PgDatabase): PgState["setLimits"] => {
  const write = db.routine("set_limits", {
    names: "text[]",
    concurrency: "integer[]",
    rate_counts: "integer[]",
    rate_per_ms: "float8[]",
    rate_bursts: "integer[]",
    key_concurrency: "integer[]",
    key_rate_counts: "integer[]",
    key_rate_per_ms: "float8[]",
    key_rate_bursts: "integer[]",
    aging_ms: "float8[]",
    hashes: "text[]",
    revisions: "bigint[]",
  });
  return async ({ limits }) => {
    if (limits.length === 0) return [];
    const rows = await write({
      names: column(limits, ({ name }) => name),
      concurrency: column(limits, ({ concurrency }) => concurrency),
      rate_counts: column(limits, ({ rate }) => rate?.count ?? null),
      rate_per_ms: column(limits, ({ rate }) => rate?.perMs ?? null),
      rate_bursts: column(limits, ({ rate }) => rate?.burst ?? null),
      key_concurrency: column(limits, ({ perKey }) => perKey?.concurrency ?? null),
      key_rate_counts: column(limits, ({ perKey }) => perKey?.rate?.count ?? null),
      key_rate_per_ms: column(limits, ({ perKey }) => perKey?.rate?.perMs ?? null),
      key_rate_bursts: column(limits, ({ perKey }) => perKey?.rate?.burst ?? null),
      aging_ms: column(limits, ({ agingMs }) => agingMs ?? null),
      hashes: column(limits, ({ declaration }) => declaration?.hash ?? null),
      revisions: column(limits, ({ declaration }) => declaration?.revision ?? null),
    });
    const written = new Set(
      rows.flatMap((row) => (toBoolean(row["is_written"]) ? [Number(row["element"]) - 1] : [])),
    );
    return limits.map((_, index) => written.has(index));
  };
};
