import type { OperatorStore, WorkerBeat, WorkerType } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toDate, toNullableText, toText } from "../job-row.ts";

export const listWorkers = (db: PgDatabase): NonNullable<OperatorStore["listWorkers"]> => {
  const list = db.routine("list_workers", {});
  return async () =>
    (await list({})).map((row) => ({
      instanceId: toText(row["instance_id"]),
      workerId: toText(row["worker_id"]),
      host: toText(row["host"]),
      pid: Number(row["pid"]),
      machine: toNullableText(row["machine"]),
      processStart: toNullableText(row["process_start"]),
      // Written by `beat`, as are the types.
      state: row["state"] as WorkerBeat["state"],
      types: JSON.parse(toText(row["types"])) as readonly WorkerType[],
      concurrency: Number(row["concurrency"]),
      busy: Number(row["busy"]),
      beatMs: Number(row["beat_ms"]),
      libraryVersion: toNullableText(row["library_version"]),
      startedAt: toDate(row["started_at_us"]),
      beatAt: toDate(row["beat_at_us"]),
    }));
};
