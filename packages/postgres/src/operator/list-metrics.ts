import type { MetricCounts, OperatorStore } from "queuert/internal";
import { type PgDatabase, toArrayLiteral } from "../database.ts";
import { toDate, toText } from "../job-row.ts";

export const listMetrics = (db: PgDatabase): NonNullable<OperatorStore["listMetrics"]> => {
  const list = db.routine("list_metrics", {
    step_s: "integer",
    from: "timestamptz",
    to: "timestamptz",
    type_names: "text[]",
  });
  return async ({ stepMs, from, to, typeNames, timeoutMs }) => {
    const args = {
      step_s: String(stepMs / 1_000),
      from: from.toISOString(),
      to: to.toISOString(),
      type_names: typeNames && toArrayLiteral(typeNames),
    };
    const rows = await list(args, undefined, timeoutMs);
    return rows.map((row) => ({
      typeName: toText(row["type_name"]),
      at: toDate(row["at_us"]),
      // Written by `record_metrics`.
      counts: JSON.parse(toText(row["counts"])) as MetricCounts,
    }));
  };
};
