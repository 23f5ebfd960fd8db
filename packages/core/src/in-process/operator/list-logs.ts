import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listLogs =
  (database: Database): InProcessOperatorMethod<"listLogs"> =>
  async ({ jobId, after }) =>
    database.read(undefined, "listLogs", (store) => {
      if (store.byId.get(jobId)?.committed === undefined) return [];
      const chunks = database.logs.get(jobId)?.chunks ?? [];
      return chunks
        .filter(
          ({ leaseVersion, firstLine }) =>
            after === null ||
            leaseVersion > after.leaseVersion ||
            (leaseVersion === after.leaseVersion && firstLine > after.firstLine),
        )
        .map(({ leaseVersion, attempt, firstLine, lines }) => ({
          ...{ leaseVersion, attempt, firstLine, lines },
        }));
    });
