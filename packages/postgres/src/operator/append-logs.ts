import { loggedAttemptsKept, type OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";

export const appendLogs = (db: PgDatabase): NonNullable<OperatorStore["appendLogs"]> => {
  const append = db.routine("append_logs", {
    chunks: "text",
    gaps: "text",
    progress: "text",
    forget: "text",
    kept_ms: "float8",
    attempts_kept: "integer",
  });
  return async ({ chunks, gaps, progress, forget, keptMs }) => {
    await append({
      chunks: JSON.stringify(chunks),
      gaps: JSON.stringify(gaps),
      progress: JSON.stringify(progress),
      forget: JSON.stringify(forget),
      kept_ms: String(keptMs),
      attempts_kept: String(loggedAttemptsKept),
    });
  };
};
