// Two processes open a new file at the same instant.
import { expect, it } from "vitest";
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { BetterSqlite3Database } from "./better-sqlite3.ts";
import { temporaryFile } from "./open-store.ts";

it.each(["journal_mode", "page_count"])(
  "a new file that another process switches to WAL before `%s` is read can be opened",
  async (name) => {
    const filename = temporaryFile();
    let isSwitched = false;
    class Driver extends BetterSqlite3Database {
      override prepare<TBind extends unknown[] | object, TResult>(sql: string) {
        if (sql === `PRAGMA ${name}` && !isSwitched) {
          isSwitched = true;
          const other = new BetterSqlite3Database(filename);
          other.pragma("journal_mode = WAL");
          other.close();
        }
        return super.prepare<TBind, TResult>(sql);
      }
    }
    const provider = await createBetterSqlite3Provider({ filename, driver: Driver });
    expect(isSwitched).toBe(true);
    await provider.close();
  },
);
