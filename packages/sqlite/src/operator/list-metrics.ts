import type { MetricCounts, OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const listMetrics = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listMetrics"]> => {
  const select = `
SELECT at, type_name, counts FROM ${database.names.metric}
WHERE step_ms = ? AND at >= ? AND at < ?
  AND (? IS NULL OR type_name IN (SELECT value FROM json_each(?)))
ORDER BY at, type_name`;
  return ({ stepMs, from, to, typeNames }) =>
    database.read(undefined, (session) => {
      const given = typeNames && JSON.stringify(typeNames);
      return session
        .all<[number, string, string]>(
          select,
          ...[stepMs, from.getTime(), to.getTime(), given, given],
        )
        .map(([at, typeName, counts]) => ({
          typeName,
          at: new Date(at),
          // Written by `recordMetrics`.
          counts: JSON.parse(counts) as MetricCounts,
        }));
    });
};
