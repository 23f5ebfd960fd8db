import type { StateSummary } from "queuert/internal";
import { toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const summarize = (db: PgDatabase): PgState["summarize"] => {
  const summarizeStore = db.routine("summarize", { running_long_ms: "float8" });
  return async ({ context, runningLongMs, timeoutMs }) => {
    const rows = await summarizeStore(
      { running_long_ms: String(runningLongMs) },
      context,
      timeoutMs,
    );
    const total = (kind: string): number =>
      Number(rows.find((row) => row["kind"] === kind)?.["value"] ?? 0);
    const counts = rows.filter((row) => row["kind"] === "count");
    return {
      counts: counts.map((row) => ({
        typeName: toText(row["type_name"]),
        // The routine returns these statuses and no other.
        status: row["status"] as StateSummary["counts"][number]["status"],
        count: Number(row["value"]),
      })),
      oldestReady: counts
        .filter((row) => Number(row["oldest_ms"] ?? -1) >= 0)
        .map((row) => ({
          typeName: toText(row["type_name"]),
          ageMs: Number(row["oldest_ms"]),
          dueCount: Number(row["due_count"]),
        })),
      blockedByFailedCount: total("blocked_by_failed"),
      expiredLeaseCount: total("expired"),
      runningLongCount: total("running_long"),
    };
  };
};
