// Errors of the PostgreSQL adapters. None carries a connection string or a payload.
import { QueuertError } from "queuert/internal";

/** An option of `createPgStateAdapter` or `createPgNotifyAdapter` has no meaning. */
export class PgInvalidOptionError extends QueuertError {
  readonly code = "QUEUERT_PG_INVALID_OPTION" as const;
  readonly option: string;

  constructor(option: string, expected: string, options?: ErrorOptions) {
    super(`Option \`${option}\` must be ${expected}.`, options);
    this.option = option;
  }
}

/** A job id that the store's id type cannot hold. */
export class PgInvalidJobIdError extends QueuertError {
  readonly code = "QUEUERT_PG_INVALID_JOB_ID" as const;
  readonly idType: string;

  constructor(idType: string, options?: ErrorOptions) {
    super(
      `A job id given is no ${idType}. Pass ids as Queuert returned them; if yours have another form, ` +
        "create the store with that `idType`.",
      options,
    );
    this.idType = idType;
  }
}

/** The schema has no tables yet, or older ones than this version of the library needs, or one of its parts was dropped. */
export class PgSchemaOutdatedError extends QueuertError {
  readonly code = "QUEUERT_PG_SCHEMA_OUTDATED" as const;
  readonly schema: string;
  /** The missing part, in the words of the server. */
  readonly missing: string | null;

  constructor(schema: string, missing: string | null, options?: ErrorOptions) {
    const detail = missing === null ? "" : ` (${missing})`;
    super(
      `Schema "${schema}" is not as this version of the library needs it${detail}. Call \`migrateToLatest()\` on the state ` +
        "adapter, or run `queuert migrate`. Or check the `schema` option. If nothing is to be migrated, a part of the schema " +
        "was dropped: `checkSchema()` and `queuert doctor` list it.",
      options,
    );
    this.schema = schema;
    this.missing = missing;
  }
}

/** The schema was migrated by a newer version of the library. */
export class PgSchemaTooNewError extends QueuertError {
  readonly code = "QUEUERT_PG_SCHEMA_TOO_NEW" as const;
  readonly schema: string;
  readonly migration: string;

  constructor(schema: string, migration: string, options?: ErrorOptions) {
    super(
      `Schema "${schema}" has migration ${migration}, which this version of @queuert/postgres does not know. ` +
        "Update the library in this process.",
      options,
    );
    this.schema = schema;
    this.migration = migration;
  }
}

/** Another application has an object with a name of Queuert's in the schema. */
export class PgSchemaTakenError extends QueuertError {
  readonly code = "QUEUERT_PG_SCHEMA_TAKEN" as const;
  readonly schema: string;

  constructor(schema: string, reason: string, options?: ErrorOptions) {
    super(
      `Schema "${schema}" has something else under a name that Queuert needs (${reason}). Nothing was changed; ` +
        "choose a schema of Queuert's own with the `schema` option.",
      options,
    );
    this.schema = schema;
  }
}

/** A migration that was applied differs from the one the library carries. */
export class PgMigrationChangedError extends QueuertError {
  readonly code = "QUEUERT_PG_MIGRATION_CHANGED" as const;
  readonly schema: string;
  readonly migration: string;

  constructor(schema: string, migration: string, options?: ErrorOptions) {
    super(
      `Migration ${migration} in schema "${schema}" was applied with another text than the library's. ` +
        "Use the `schema`, `idType` and `idDefault` it was created with, or another schema.",
      options,
    );
    this.schema = schema;
    this.migration = migration;
  }
}

/** The role lacks rights that the library needs. */
export class PgPermissionError extends QueuertError {
  readonly code = "QUEUERT_PG_PERMISSION_DENIED" as const;
  readonly schema: string;

  constructor(schema: string, options?: ErrorOptions) {
    super(
      `The database role lacks rights on schema "${schema}". To migrate it needs CREATE on the database; to run, ` +
        "USAGE on the schema, SELECT, INSERT, UPDATE and DELETE on its tables, and EXECUTE on its functions.",
      options,
    );
    this.schema = schema;
  }
}

/** Row-level security of the tables applies to the role. */
export class PgRowSecurityError extends QueuertError {
  readonly code = "QUEUERT_PG_ROW_SECURITY" as const;
  readonly schema: string;

  constructor(schema: string, options?: ErrorOptions) {
    super(
      `A row-level security policy on a table of schema "${schema}" applies to the database role. Every worker must see ` +
        "every job: disable row-level security on these tables, or give the role BYPASSRLS.",
      options,
    );
    this.schema = schema;
  }
}

/** The server, the database or the role allows only reading. */
export class PgReadOnlyError extends QueuertError {
  readonly code = "QUEUERT_PG_READ_ONLY" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The transaction is read-only: the connection leads to a standby, or `default_transaction_read_only` is on for the " +
        "server, the database or the role. Connect to the primary with a role that may write.",
      options,
    );
  }
}

const checkAddress = "Check that the server runs, and check host and port of the connection.";

/** The remedy for a refused connection, by the code of the driver's error. */
const remedies: Readonly<Record<string, string>> = {
  "3D000": "Create the database, or correct its name in the connection.",
  "28000": "Create the role, correct its name in the connection, or allow it in `pg_hba.conf`.",
  "28P01": "Correct the role's name or password in the connection.",
  ENOTFOUND: "The name of the host is not known: correct it in the connection.",
};

/** The server could not be reached, or refused the connection. */
export class PgUnreachableError extends QueuertError {
  readonly code = "QUEUERT_PG_UNREACHABLE" as const;
  /** The code of the driver's error, such as `ECONNREFUSED`, or `3D000` for a database that does not exist. */
  readonly reason: string;

  constructor(reason: string, serverMessage: string | null, options?: ErrorOptions) {
    super(
      serverMessage === null
        ? `PostgreSQL could not be reached (${reason}). ${remedies[reason] ?? checkAddress}`
        : `PostgreSQL refused the connection: ${serverMessage} (${reason}). ${remedies[reason] ?? checkAddress}`,
      options,
    );
    this.reason = reason;
  }
}

/** No connection of the pool became free in the time that the pool is given. */
export class PgPoolExhaustedError extends QueuertError {
  readonly code = "QUEUERT_PG_POOL_EXHAUSTED" as const;

  constructor(options?: ErrorOptions) {
    super(
      "No connection of the pool became free within its `connectionTimeoutMillis`. Give the pool more connections, or end " +
        "transactions sooner.",
      options,
    );
  }
}

/** An ORM has had no connection since the process began. */
export class PgFirstConnectionError extends QueuertError {
  readonly code = "QUEUERT_PG_FIRST_CONNECTION" as const;

  constructor(waitedMs: number, options?: ErrorOptions) {
    super(
      `Kysely has not given a first connection within ${waitedMs} ms. If its dialect is the one for postgres.js, leave ` +
        "`fetch_types: false` out of the client's options: with it, `sql.reserve()` never resolves. Otherwise check that the " +
        "server can be reached and that the pool has a free connection.",
      options,
    );
  }
}

/** All connections for transactions were held, and no transaction ended for long. */
export class PgTransactionStalledError extends QueuertError {
  readonly code = "QUEUERT_PG_TRANSACTION_STALLED" as const;

  constructor(transactionsMax: number, waitedMs: number, options?: ErrorOptions) {
    super(
      `A transaction waited ${waitedMs} ms for one of ${transactionsMax} connections, and no transaction ended meanwhile. ` +
        "Inside a callback, spread the context that it is given instead of opening another transaction. " +
        "Otherwise give the pool more connections, or end transactions sooner.",
      options,
    );
  }
}

/** COMMIT was answered with a rollback: an earlier statement of the transaction had failed. */
export class PgTransactionAbortedError extends QueuertError {
  readonly code = "QUEUERT_PG_TRANSACTION_ABORTED" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The transaction was rolled back: one of its statements had failed. " +
        "Let the error of a failed statement reach the end of the transaction, or use a savepoint.",
      options,
    );
  }
}

/** Another process is migrating the same schema, and did not finish in time. */
export class PgMigrationLockedError extends QueuertError {
  readonly code = "QUEUERT_PG_MIGRATION_LOCKED" as const;
  readonly schema: string;

  constructor(schema: string, options?: ErrorOptions) {
    super(
      `Schema "${schema}" could not be migrated: a lock was not granted in time, since another process migrates or ` +
        "a transaction holds a table. Nothing was changed; try again, or with a longer `lockTimeoutMs`.",
      options,
    );
    this.schema = schema;
  }
}
