// Opens the two connections of a file, and checks their settings and those of the file. A new file is set up for Queuert.
// Settings of an existing file are changed only by an option.
import { assertDurationMs, InvalidOptionError, limits } from "queuert/internal";
import type { SqliteValue } from "../connection.ts";
import { SqliteInMemoryError, SqlitePragmaError } from "../errors.ts";
import type { DriverConnection } from "./file-provider.ts";
import { whenNotBusy } from "./writer-gate.ts";

/** The failures that a commit survives: with `"NORMAL"` that of the process, with `"FULL"` also that of the machine. */
export type SqliteSynchronous = "FULL" | "NORMAL";

/** The settings of a file. */
export interface FileSettings {
  /**
   * When SQLite waits for the disk, on the connections that the provider opens. `"FULL"` (default): at every commit, so that
   * no commit is lost if the machine loses power. `"NORMAL"`: at checkpoints only. It is faster, and a power failure may
   * lose the last commits, each as a whole. Killed processes lose no commit in either mode.
   */
  readonly synchronous?: SqliteSynchronous | undefined;
  /** Switches an existing file to WAL for good. Left out: a file in another mode is refused. */
  readonly journalMode?: "wal" | undefined;
  /** How long to wait for a writer that does not finish, in milliseconds. Default 30 000. */
  readonly busyTimeoutMs?: number | undefined;
}

export const busyTimeoutMsDefault = 30_000;

export const assertOnDisk = (filename: string): void => {
  if (typeof filename !== "string") {
    const remedy = "give the path of the file, or a connection as `database`";
    throw new InvalidOptionError("filename", filename, remedy);
  }
  const name = filename.trim();
  if (name === "" || name.includes(":memory:") || name.includes("mode=memory")) {
    throw new SqliteInMemoryError();
  }
};

/** Checks the settings. SQLite ignores misspelt ones without an error. */
export const assertSettings = (settings: FileSettings): void => {
  const { synchronous, journalMode, busyTimeoutMs } = settings;
  if (synchronous !== undefined && synchronous !== "FULL" && synchronous !== "NORMAL") {
    throw new InvalidOptionError("synchronous", synchronous, 'give "FULL" or "NORMAL"');
  }
  if (journalMode !== undefined && journalMode !== "wal") {
    throw new InvalidOptionError("journalMode", journalMode, 'give "wal", or leave it out');
  }
  if (busyTimeoutMs === undefined) return;
  assertDurationMs(busyTimeoutMs, "busyTimeoutMs");
  if (busyTimeoutMs > limits.timerMsMax) {
    const remedy = `give at most ${limits.timerMsMax} milliseconds`;
    throw new InvalidOptionError("busyTimeoutMs", busyTimeoutMs, remedy);
  }
};

export const assertDriver = (driver: unknown): void => {
  if (driver !== undefined && typeof driver !== "function") {
    throw new InvalidOptionError("driver", driver, "give the constructor of connections");
  }
};

const pragma = ({ connection }: DriverConnection<object>, name: string): SqliteValue | undefined =>
  connection.prepare(`PRAGMA ${name}`).get()?.[0];

/** Sets up a connection that the provider has opened. */
export const setUpOwnConnection = async (
  own: DriverConnection<object>,
  settings: FileSettings,
): Promise<void> => {
  const busyTimeoutMs = settings.busyTimeoutMs ?? busyTimeoutMsDefault;
  // A wait of SQLite would block the event loop. The writer gate waits instead.
  own.connection.exec("PRAGMA busy_timeout = 0");
  own.connection.exec("PRAGMA foreign_keys = ON");
  await whenNotBusy(() => ensureWal(own, settings.journalMode === "wal"), busyTimeoutMs);
  own.connection.exec(`PRAGMA synchronous = ${settings.synchronous ?? "FULL"}`);
};

/** Checks a connection of the user, and does not change it.  */
export const checkUsersConnection = async (
  users: DriverConnection<object>,
  settings: FileSettings,
): Promise<void> => {
  const busyTimeoutMs = settings.busyTimeoutMs ?? busyTimeoutMsDefault;
  if (pragma(users, "locking_mode") === "exclusive") {
    throw new SqlitePragmaError(
      "locking_mode",
      "exclusive",
      "Queuert reads on a second connection, which it would lock out: run `PRAGMA locking_mode = NORMAL`.",
    );
  }
  await whenNotBusy(() => ensureWal(users, settings.journalMode === "wal"), busyTimeoutMs);
  if (pragma(users, "foreign_keys") !== 1) {
    throw new SqlitePragmaError(
      "foreign_keys",
      "OFF",
      "Run `PRAGMA foreign_keys = ON` on the connection before giving it to Queuert.",
    );
  }
  const timeoutMs = pragma(users, "busy_timeout");
  if (typeof timeoutMs === "number" && timeoutMs > 100) {
    process.emitWarning(
      `The SQLite connection given to Queuert waits for other processes up to ${timeoutMs} ms (PRAGMA busy_timeout), ` +
        "and nothing else runs in this process meanwhile. Set it to 0: Queuert waits without blocking.",
      { code: "QUEUERT_SQLITE_BUSY_TIMEOUT" },
    );
  }
};

// In any other mode, readers and writers wait for each other.
const ensureWal = (connection: DriverConnection<object>, switchToWal: boolean): void => {
  // Before the mode: another process that starts may switch a new file between the two.
  const isNew = pragma(connection, "page_count") === 0;
  const mode = String(pragma(connection, "journal_mode"));
  if (mode === "wal") return;
  if (!isNew && !switchToWal) {
    throw new SqlitePragmaError(
      "journal_mode",
      mode,
      'Queuert reads during writes, which needs WAL. Give the provider `journalMode: "wal"` to switch the ' +
        "file (other programs can still use it), or run `PRAGMA journal_mode = WAL` yourself.",
    );
  }
  const set = String(connection.connection.prepare("PRAGMA journal_mode = WAL").get()?.[0]);
  if (set !== "wal") {
    throw new SqlitePragmaError(
      "journal_mode",
      set,
      "WAL could not be switched on: it needs a local file system with shared memory.",
    );
  }
};
