import type { OperatorStore, StoredProgress } from "queuert/internal";
import type { Database } from "../database.ts";

type ProgressRow = readonly [
  leaseVersion: number,
  fraction: number | null,
  note: string | null,
  storedAt: number,
];

export const listProgress = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listProgress"]> => {
  const select = `
SELECT lease_version, fraction, note, stored_at FROM ${database.names.progress} WHERE job_id = ?`;
  return ({ jobIds }) =>
    database.read(undefined, (session) =>
      jobIds.map((id): StoredProgress | undefined => {
        const row = session.get<ProgressRow>(select, id);
        if (row === undefined) return undefined;
        const [leaseVersion, fraction, note, storedAt] = row;
        return { leaseVersion, fraction, note, at: new Date(storedAt) };
      }),
    );
};
