// The history of attempts cannot be turned off. For the comparison, the statement that writes it does nothing.
import type { Participant } from "../participant.ts";
import { SqliteDriver } from "../sqlite-file.ts";
import { openWithSqlite, participant as usual } from "./sqlite.ts";

const writesHistory = (sql: string): boolean => /^\s*INSERT INTO queuert_job_attempt /.test(sql);

class SilentDriver extends SqliteDriver {
  override prepare: InstanceType<typeof SqliteDriver>["prepare"] = (sql: string) => {
    const statement = super.prepare(sql);
    if (writesHistory(sql)) statement.run = () => ({ changes: 0, lastInsertRowid: 0 });
    // The declared type depends on the parameters of each caller.
    return statement as never;
  };
}

export const participant: Participant = {
  ...usual,
  settings: "as queuert-sqlite, without the history of failed attempts",
  open: (target) => openWithSqlite(target, { driver: SilentDriver }),
};
