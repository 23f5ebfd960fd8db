import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toText } from "../job-row.ts";

export const listDependants = (db: PgDatabase): NonNullable<OperatorStore["listDependants"]> => {
  const list = db.routine("list_dependants", {
    sequence_id: "id",
    after_id: "id",
    limit: "integer",
  });
  return async ({ sequenceId, afterId, limit, timeoutMs }) => {
    const after = afterId === null ? null : db.id(afterId);
    // No job has an id that cannot be one.
    if (afterId !== null && after === null) return [];
    const args = {
      sequence_id: db.id(sequenceId),
      after_id: after,
      limit: String(limit),
    };
    return (await list(args, undefined, timeoutMs)).map((row) => toText(row["id"]));
  };
};
