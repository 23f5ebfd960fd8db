import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

type ChunkRow = readonly [leaseVersion: number, attempt: number, firstLine: number, lines: string];

export const listLogs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listLogs"]> => {
  const select = `
SELECT lease_version, attempt, first_line, lines FROM ${database.names.log}
WHERE job_id = ? AND (lease_version, first_line) > (?, ?) ORDER BY lease_version, first_line`;
  return ({ jobId, after }) =>
    database.read(undefined, (session) =>
      session
        .all<ChunkRow>(select, jobId, after?.leaseVersion ?? 0, after?.firstLine ?? -1)
        .map(([leaseVersion, attempt, firstLine, lines]) => ({
          ...{ leaseVersion, attempt, firstLine, lines },
        })),
    );
};
