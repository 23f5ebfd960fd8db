import { lateFactor, type OperatorStore } from "queuert/internal";
import { type PgDatabase, storableText } from "../database.ts";

export const beat = (db: PgDatabase): NonNullable<OperatorStore["beat"]> => {
  const report = db.routine("beat", {
    host: "text",
    pid: "bigint",
    machine: "text",
    process_start: "text",
    workers: "text",
    forget_after_ms: "float8",
    late_factor: "float8",
  });
  return async ({ process, workers, forgetAfterMs }) => {
    const [row] = await report({
      host: storableText(process.host),
      pid: String(process.pid),
      machine: storableText(process.machine),
      process_start: storableText(process.processStart),
      workers: JSON.stringify(workers),
      forget_after_ms: String(forgetAfterMs),
      late_factor: String(lateFactor),
    });
    return { processCount: Number(row?.["process_count"] ?? 0) };
  };
};
