import { statSync } from "node:fs";
import type { SqliteSchemaOptions } from "@queuert/sqlite";
import type { SchemaFinding } from "./store.ts";

/** A log that a checkpoint cannot empty: some reader has kept its snapshot open. */
const walBytesMax = 256 * 1_024 * 1_024;

export const sqliteHealth = async (
  provider: SqliteSchemaOptions["stateProvider"],
  filename: string,
): Promise<readonly SchemaFinding[]> => {
  const findings: SchemaFinding[] = [];
  const problem = await provider.read?.((connection) =>
    connection.prepare("PRAGMA quick_check(1)").get()?.at(0),
  );
  if (problem !== undefined && problem !== "ok") {
    findings.push({ level: "fail", text: `the file is damaged: ${String(problem)}` });
  }
  const walBytes = statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (walBytes > walBytesMax) {
    const megabytes = Math.round(walBytes / 1_048_576);
    findings.push({
      level: "warn",
      text: `the log beside the file has ${megabytes} MB: a reader that stays open keeps it from being emptied`,
    });
  }
  return findings;
};
