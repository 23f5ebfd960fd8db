// Errors of MongoDB alone. The driver's own error is always the `cause`.
import { QueuertError } from "queuert/internal";

/** The server has aborted the transaction. */
export class MongoTransactionAbortedError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_TRANSACTION_ABORTED" as const;
  readonly reason: "write_conflict" | "failover" | "ended";
  /** As in the driver's errors, for retry loops that check for `TransientTransactionError`. */
  readonly errorLabels: readonly string[] = ["TransientTransactionError"];

  constructor(reason: MongoTransactionAbortedError["reason"], options?: ErrorOptions) {
    super(
      `MongoDB aborted the transaction (${explanations[reason]}). Nothing of it is stored: ` +
        "run all of it again, reads included.",
      options,
    );
    this.reason = reason;
  }

  hasErrorLabel(label: string): boolean {
    return this.errorLabels.includes(label);
  }
}

const explanations = {
  write_conflict: "another transaction has written the same document since it began",
  failover: "the primary or the connection was lost",
  ended: "it was aborted by an earlier error, or has been open for too long",
} as const;

/** The commit was sent, and its outcome is unknown. */
export class MongoCommitUnknownError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_COMMIT_UNKNOWN" as const;
  readonly waitedMs: number;

  constructor(waitedMs: number, options?: ErrorOptions) {
    super(
      `MongoDB did not confirm the commit within ${waitedMs} ms: the transaction may be stored or not. ` +
        "Check for its writes before you run it again.",
      options,
    );
    this.waitedMs = waitedMs;
  }
}

/** A statement has not settled in time: it may be stored or not, as after a lost connection. */
export class MongoNoAnswerError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_NO_ANSWER" as const;
  readonly waitedMs: number;

  constructor(waitedMs: number, options?: ErrorOptions) {
    super(
      `The MongoDB driver has not answered within ${waitedMs} ms: the connection counts as lost. If statements ` +
        "need longer, raise `answerTimeoutMs`.",
      options,
    );
    this.waitedMs = waitedMs;
  }
}

/** The server is not a member of a replica set, and so has no transactions. */
export class MongoStandaloneServerError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_STANDALONE_SERVER" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The MongoDB server is a standalone server, which has no transactions. Start it with `--replSet rs0` and " +
        "run `rs.initiate()` once. A replica set of one member is enough.",
      options,
    );
  }
}

/** The server is too old for the adapter's commands. */
export class MongoServerTooOldError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_SERVER_TOO_OLD" as const;
  readonly wireVersion: number;

  constructor(wireVersion: number, options?: ErrorOptions) {
    super(
      `The MongoDB server has wire version ${wireVersion}, and 13 is needed. Use MongoDB 5.0 or newer.`,
      options,
    );
    this.wireVersion = wireVersion;
  }
}

/** A failover could undo the commit of the caller's transaction. */
export class MongoWriteConcernError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_WRITE_CONCERN" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The write concern of the transaction is a number, which may be less than a majority: a job could be " +
        'acknowledged and then lost. Start the transaction with `writeConcern: { w: "majority" }`.',
      options,
    );
  }
}

/** The session of the context was started by another client than the provider's. */
export class MongoForeignSessionError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_FOREIGN_SESSION" as const;
  /** The two clients are of different copies of the driver. */
  readonly isOtherDriver: boolean;

  constructor(isOtherDriver: boolean, options?: ErrorOptions) {
    super(
      "The session was started by another client than the provider's" +
        (isOtherDriver
          ? ", of a second copy of the driver: `npm ls mongodb` shows both. "
          : ": a transaction cannot include both. ") +
        "Give the provider the client that starts the session; with mongoose that is `mongoose.connection.getClient()`.",
      options,
    );
    this.isOtherDriver = isOtherDriver;
  }
}

/** `idGenerator` returned an id that is stored already. */
export class MongoDuplicateIdError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_DUPLICATE_ID" as const;

  constructor(options?: ErrorOptions) {
    super(
      "`idGenerator` returned the id of another job. Nothing was stored. Use a generator that never repeats an " +
        "id, such as the default.",
      options,
    );
  }
}

/** Indexes of the collections differ from those that this release creates. */
export class MongoIndexDriftError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_INDEX_DRIFT" as const;
  readonly differences: readonly string[];

  constructor(differences: readonly string[], options?: ErrorOptions) {
    super(
      `These indexes differ from those that \`migrateToLatest\` creates: ${differences.join("; ")}. Drop them, ` +
        "and call `migrateToLatest`.",
      options,
    );
    this.differences = differences;
  }
}

/** The collection for notifications is not capped. */
export class MongoNotifyCollectionError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_NOTIFY_COLLECTION" as const;
  readonly collection: string;

  constructor(collection: string, options?: ErrorOptions) {
    super(
      `The collection ${collection} is not capped, so listeners cannot tail it, and it holds documents of another ` +
        "application. Choose another `collectionPrefix`, or drop the collection: Queuert creates it again.",
      options,
    );
    this.collection = collection;
  }
}

/** No server was found, or no primary. */
export class MongoUnreachableError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_UNREACHABLE" as const;

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `MongoDB could not be reached (${reason}). Check that the server runs, and check the hosts, the replica set's ` +
        "name and the credentials of the connection. If the first connection of a client fails, the client stays " +
        "closed: make a new one, or call its `connect`.",
      options,
    );
  }
}

/** The server has refused the user or the password of the connection. */
export class MongoCredentialsError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_CREDENTIALS" as const;

  // The server's own message names the user: only the cause has it.
  constructor(options?: ErrorOptions) {
    super(
      "MongoDB refused the user or the password of the connection. Check both, and the database in which the user was " +
        "created: give it as `authSource`, such as `?authSource=admin`. Then make a new client.",
      options,
    );
  }
}

/** The user of the connection lacks rights. */
export class MongoPermissionError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_PERMISSION_DENIED" as const;
  readonly collection: string;

  // The server's own message repeats the command with its payloads: only the cause has it.
  constructor(collection: string, options?: ErrorOptions) {
    super(
      `The user of the connection lacks rights on the collection ${collection}, or the connection has no user. The role ` +
        '"readWrite" on the database has all needed rights, also for migrations.',
      options,
    );
    this.collection = collection;
  }
}

/** Collections or indexes are missing. */
export class MongoNotMigratedError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_NOT_MIGRATED" as const;
  readonly missing: readonly string[];

  constructor(missing: readonly string[], options?: ErrorOptions) {
    super(
      `The database lacks collections or indexes: ${missing.join(", ")}. Call \`migrateToLatest\` on the state ` +
        "adapter, or run `queuert migrate`. Or check the `databaseName` and `collectionPrefix` options.",
      options,
    );
    this.missing = missing;
  }
}

/** A collection of another application has a name that Queuert needs. */
export class MongoCollectionTakenError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_COLLECTION_TAKEN" as const;
  readonly collection: string;

  constructor(collection: string, reason: string, options?: ErrorOptions) {
    super(
      `The collection ${collection} is not Queuert's (${reason}). Nothing was changed. Choose another ` +
        "`collectionPrefix`, or a separate database for Queuert.",
      options,
    );
    this.collection = collection;
  }
}

/** A job is larger than a MongoDB document can be. */
export class MongoDocumentTooLargeError extends QueuertError {
  /** MongoDB's limit for a document: 16 MiB. */
  static readonly bytesMax: number = 16 * 1_024 * 1_024;
  readonly code = "QUEUERT_MONGODB_DOCUMENT_TOO_LARGE" as const;
  readonly bytesMax: number = MongoDocumentTooLargeError.bytesMax;
  /** The size of the payload, if it was measured before it was sent. */
  readonly bytes: number | undefined;

  constructor({ bytes, ...options }: ErrorOptions & { readonly bytes?: number } = {}) {
    const size = bytes === undefined ? "" : ` (its payload alone has ${bytes} bytes)`;
    super(
      `A job is larger than a MongoDB document can be${size}: its input, output and blockers together must fit ` +
        `into ${MongoDocumentTooLargeError.bytesMax} bytes. Nothing of it was stored. Store large payloads ` +
        "elsewhere, and give the job a reference.",
      options,
    );
    this.bytes = bytes;
  }
}

/** The client's strict Stable API excludes the commands of notifications. */
export class MongoStrictApiError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_STRICT_API" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The client has `serverApi: { strict: true }`, and the Stable API has no capped collections and no tailable " +
        "cursors. Give `createMongoNotifyAdapter` a client without it, or use another notify adapter.",
      options,
    );
  }
}
