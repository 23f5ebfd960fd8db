import { QueuertError } from "queuert/internal";

/** The file could not be opened: it, or its directory, is missing or may not be read. */
export class SqliteCannotOpenError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_CANNOT_OPEN" as const;
  readonly filename: string;

  constructor(filename: string, options?: ErrorOptions) {
    super(
      `Cannot open the SQLite file ${filename}. Check that its directory exists and that this user may read ` +
        "and write both: SQLite keeps two more files (-wal, -shm) beside it.",
      options,
    );
    this.filename = filename;
  }
}

/** The file, its directory or its medium may not be written. */
export class SqliteNotWritableError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_NOT_WRITABLE" as const;
  readonly filename: string;

  constructor(filename: string, options?: ErrorOptions) {
    super(
      `The SQLite file ${filename} may not be written. Give this user write permission on the file and on its ` +
        "directory, and check that the medium is not mounted read-only, nor a connection of yours opened so.",
      options,
    );
    this.filename = filename;
  }
}

/** The file holds something else. */
export class SqliteNotADatabaseError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_NOT_A_DATABASE" as const;
  readonly filename: string;

  constructor(filename: string, options?: ErrorOptions) {
    super(
      `${filename} is not a SQLite database, or is damaged or encrypted. Give another filename, or restore the ` +
        "file from a backup; Queuert has not changed it.",
      options,
    );
    this.filename = filename;
  }
}

/** The file, or a table or an index in it, is no longer as SQLite has written it. */
export class SqliteDamagedError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_DAMAGED" as const;
  readonly filename: string;

  constructor(filename: string, options?: ErrorOptions) {
    super(
      `The SQLite file ${filename} is damaged. Stop every program that uses it; restore it from a backup, or ` +
        "save the rest with `.recover` of the sqlite3 shell.",
      options,
    );
    this.filename = filename;
  }
}

/** There is no room to write. */
export class SqliteFullError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_FULL" as const;
  readonly filename: string;

  constructor(filename: string, options?: ErrorOptions) {
    super(
      `There is no room for the SQLite file ${filename} to grow: its disk is full, or \`PRAGMA max_page_count\` is ` +
        "reached. Nothing of the transaction was stored; make room and try again.",
      options,
    );
    this.filename = filename;
  }
}

/** A database in memory has one connection: a read would join the open transaction, or wait for it. */
export class SqliteInMemoryError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_IN_MEMORY" as const;

  constructor(options?: ErrorOptions) {
    super(
      "A SQLite database in memory cannot be read while a transaction is open. Give the name of a file, in a " +
        "temporary directory for tests, or use `createInProcessStateAdapter()` from queuert.",
      options,
    );
  }
}

/** Queuert needs another setting of the file or of the user's connection. It changes neither without an option. */
export class SqlitePragmaError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_PRAGMA" as const;
  readonly pragma: string;
  readonly actual: string;

  constructor(pragma: string, actual: string, remedy: string, options?: ErrorOptions) {
    super(`\`PRAGMA ${pragma}\` of the SQLite file is ${actual}. ${remedy}`, options);
    this.pragma = pragma;
    this.actual = actual;
  }
}

const busyMessages = {
  another_program: (waitedMs: number) =>
    `Another program has kept the SQLite file locked for ${waitedMs} ms. Look for an open transaction ` +
    "(a shell, a backup, another worker), or give the provider a longer `busyTimeoutMs`.",
  this_process: (waitedMs: number) =>
    `One transaction of this process has held the SQLite writer for over ${waitedMs} ms. If this call ` +
    "was made inside that transaction, pass it the transaction's context; else keep slow work out of " +
    "transactions (staged mode), or give the provider a longer `busyTimeoutMs`.",
  your_transaction: (waitedMs: number) =>
    `A transaction that was begun on the connection given to Queuert has been open for ${waitedMs} ms. Commit ` +
    "it or roll it back sooner, or run it as `queuert.transaction`, whose context calls can take part in.",
};

/** Another program, or a transaction of this process, has kept the writer for longer than `busyTimeoutMs`. */
export class SqliteBusyError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_BUSY" as const;
  readonly waitedMs: number;
  readonly holder: "another_program" | "this_process" | "your_transaction";

  constructor(holder: SqliteBusyError["holder"], waitedMs: number, options?: ErrorOptions) {
    super(busyMessages[holder](waitedMs), options);
    this.holder = holder;
    this.waitedMs = waitedMs;
  }
}

/** A client or context was used after its transaction had ended. */
export class SqliteTransactionEndedError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_TRANSACTION_ENDED" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The transaction has ended: its client must not be used after its callback, nor may the callback commit " +
        "or roll back by itself. Await every call before the callback returns. After some errors, such as a full disk, " +
        "SQLite rolls back: a callback that catches one cannot continue.",
      options,
    );
  }
}

/** The provider has been closed. */
export class SqliteClosedError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_CLOSED" as const;

  constructor(options?: ErrorOptions) {
    super("The SQLite provider has been closed. Stop workers before closing it.", options);
  }
}

/** `idGenerator` returned an id that is stored already. */
export class SqliteDuplicateIdError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_DUPLICATE_ID" as const;
  readonly jobId: string;

  constructor(jobId: string, options?: ErrorOptions) {
    super(
      `\`idGenerator\` returned ${jobId}, which another job has already. Nothing was stored; give a generator ` +
        "that never repeats an id, such as the default.",
      options,
    );
    this.jobId = jobId;
  }
}

/** The tables are those of a newer release. */
export class SqliteSchemaTooNewError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_SCHEMA_TOO_NEW" as const;
  readonly storedVersion: number;
  readonly knownVersion: number;

  constructor(storedVersion: number, knownVersion: number, options?: ErrorOptions) {
    super(
      `The Queuert tables of the SQLite file are at version ${storedVersion}; this release knows ${knownVersion}. ` +
        "Install a newer @queuert/sqlite: tables are never taken back.",
      options,
    );
    this.storedVersion = storedVersion;
    this.knownVersion = knownVersion;
  }
}

/** The tables are missing or of an older release, and `migrate` is `false`. */
export class SqliteSchemaTooOldError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_SCHEMA_TOO_OLD" as const;
  readonly storedVersion: number;
  readonly knownVersion: number;

  constructor(storedVersion: number, knownVersion: number, options?: ErrorOptions) {
    super(
      `The Queuert tables of the SQLite file are at version ${storedVersion}; this release needs ${knownVersion}. ` +
        "Call `migrateSqliteSchema`, or leave out `migrate: false`.",
      options,
    );
    this.storedVersion = storedVersion;
    this.knownVersion = knownVersion;
  }
}

/** The file has a table or an index of another program with a name that Queuert needs. */
export class SqliteSchemaTakenError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_SCHEMA_TAKEN" as const;

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `Another program uses a name in the SQLite file that Queuert needs (${reason}). Nothing was changed; ` +
        "give another `tablePrefix`.",
      options,
    );
  }
}

/** The tables differ from those that the migrations make, although the version is right. */
export class SqliteSchemaDriftError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_SCHEMA_DRIFT" as const;
  readonly differences: readonly string[];

  constructor(differences: readonly string[], options?: ErrorOptions) {
    super(
      `The Queuert tables of the SQLite file are not as the migrations made them: ${differences.join("; ")}. ` +
        "Undo the change by hand, or give another `tablePrefix`.",
      options,
    );
    this.differences = differences;
  }
}

const driverRemedies: Readonly<Record<SqliteDriverMissingError["driver"], string>> = {
  "bun:sqlite":
    "Only Bun has `bun:sqlite`: use `@queuert/sqlite/node-sqlite` or `@queuert/sqlite/better-sqlite3` elsewhere.",
  "node:sqlite":
    "This Node has no `node:sqlite`, or an early one: use Node 22.16 or newer, or `@queuert/sqlite/better-sqlite3`.",
  "better-sqlite3":
    "The package better-sqlite3 could not be loaded: install it (`npm install better-sqlite3`, and on Node 20 " +
    "`npm install better-sqlite3@12`), or use `@queuert/sqlite/node-sqlite` on Node 22.16 or newer.",
};

/** The driver is not installed, or this runtime has none. */
export class SqliteDriverMissingError extends QueuertError {
  readonly code = "QUEUERT_SQLITE_DRIVER_MISSING" as const;
  readonly driver: "better-sqlite3" | "node:sqlite" | "bun:sqlite";

  constructor(driver: SqliteDriverMissingError["driver"], options?: ErrorOptions) {
    super(driverRemedies[driver], options);
    this.driver = driver;
  }
}
