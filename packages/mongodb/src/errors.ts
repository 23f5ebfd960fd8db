// What only MongoDB can answer. The driver's own error is always the `cause`.
import { QueuertError } from "queuert/internal";

/** The server has aborted the transaction. */
export class MongoTransactionAbortedError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_TRANSACTION_ABORTED" as const;
  readonly reason: "write_conflict" | "failover" | "ended";
  /** As the driver's errors have it, for loops that look for `TransientTransactionError`. */
  readonly errorLabels: readonly string[] = ["TransientTransactionError"];

  constructor(reason: MongoTransactionAbortedError["reason"], options?: ErrorOptions) {
    super(
      `MongoDB aborted the transaction (${explanations[reason]}). Nothing of it is stored: ` +
        "run the whole of it again, reads included.",
      options,
    );
    this.reason = reason;
  }

  hasErrorLabel(label: string): boolean {
    return this.errorLabels.includes(label);
  }
}

const explanations = {
  write_conflict: "another one has written the same document since it began",
  failover: "the primary or the connection was lost",
  ended: "it was aborted by an earlier error, or has been open for too long",
} as const;

/** The commit was sent, and no server has said whether it took place. */
export class MongoCommitUnknownError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_COMMIT_UNKNOWN" as const;
  readonly waitedMs: number;

  constructor(waitedMs: number, options?: ErrorOptions) {
    super(
      `No MongoDB server has answered the commit within ${waitedMs} ms: the transaction may be stored, or not. ` +
        "Read what it wrote before running it again.",
      options,
    );
    this.waitedMs = waitedMs;
  }
}

/** The driver has not answered a statement: it may be stored, or not, as after a lost connection. */
export class MongoNoAnswerError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_NO_ANSWER" as const;
  readonly waitedMs: number;

  constructor(waitedMs: number, options?: ErrorOptions) {
    super(
      `The MongoDB driver has not answered within ${waitedMs} ms, so the connection counts as lost. If the server needs ` +
        "longer for a statement, raise `answerTimeoutMs`.",
      options,
    );
    this.waitedMs = waitedMs;
  }
}

/** The server is no member of a replica set, and so has no transactions. */
export class MongoStandaloneServerError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_STANDALONE_SERVER" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The MongoDB server is a standalone one, which has no transactions. Start it with `--replSet rs0` and run " +
        "`rs.initiate()` once; a replica set of one member is enough.",
      options,
    );
  }
}

/** The server is too old for what the adapter sends. */
export class MongoServerTooOldError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_SERVER_TOO_OLD" as const;
  readonly wireVersion: number;

  constructor(wireVersion: number, options?: ErrorOptions) {
    super(
      `The MongoDB server speaks wire version ${wireVersion}; 13 is needed. Use MongoDB 5.0 or newer.`,
      options,
    );
    this.wireVersion = wireVersion;
  }
}

/** The caller's transaction would commit what a failover can take back. */
export class MongoWriteConcernError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_WRITE_CONCERN" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The transaction was started with a number as its write concern, which need not be a majority: a job in it " +
        'could be acknowledged and then lost. Start it with `writeConcern: { w: "majority" }`.',
      options,
    );
  }
}

/** `idGenerator` gave an id that is stored already. */
export class MongoDuplicateIdError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_DUPLICATE_ID" as const;

  constructor(options?: ErrorOptions) {
    super(
      "`idGenerator` returned an id that another job has already. Nothing was stored; give a generator that never " +
        "repeats one, such as the default.",
      options,
    );
  }
}

/** Indexes of the collections are not those that this release makes. */
export class MongoIndexDriftError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_INDEX_DRIFT" as const;
  readonly differences: readonly string[];

  constructor(differences: readonly string[], options?: ErrorOptions) {
    super(
      `The indexes of Queuert's collections are not as \`migrateToLatest\` makes them: ${differences.join("; ")}. ` +
        "Call it, or drop the index in question and call it then.",
      options,
    );
    this.differences = differences;
  }
}

/** The collection for notifications is an ordinary one. */
export class MongoNotifyCollectionError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_NOTIFY_COLLECTION" as const;
  readonly collection: string;

  constructor(collection: string, options?: ErrorOptions) {
    super(
      `The collection ${collection} is not capped, and so cannot be listened to. Drop it: it holds nothing of value ` +
        "and is created again as it should be.",
      options,
    );
    this.collection = collection;
  }
}

/** No server could be found, or none that may be written to. */
export class MongoUnreachableError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_UNREACHABLE" as const;

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `MongoDB could not be reached (${reason}). Check that the server runs, and that the hosts, the name of the replica ` +
        "set and the credentials of the connection are right. A client whose first connection has failed stays closed: " +
        "make a new one, or call its `connect`.",
      options,
    );
  }
}

/** The user of the connection may not do what the library needs. */
export class MongoPermissionError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_PERMISSION_DENIED" as const;
  readonly collection: string;

  // The server's own message repeats the command, payloads and all: it is for the cause.
  constructor(collection: string, options?: ErrorOptions) {
    super(
      `The user of the connection lacks rights on the collection ${collection}. The role "readWrite" on the database has ` +
        "all that is needed, migrations included.",
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
      `The database lacks what \`migrateToLatest\` makes: ${missing.join(", ")}. Call it on the state adapter before using ` +
        "it, or check the `databaseName` and `collectionPrefix` options.",
      options,
    );
    this.missing = missing;
  }
}

/** Somebody else has something under a name that Queuert needs. */
export class MongoCollectionTakenError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_COLLECTION_TAKEN" as const;
  readonly collection: string;

  constructor(collection: string, reason: string, options?: ErrorOptions) {
    super(
      `The collection ${collection} is not one that Queuert has made (${reason}). Nothing was changed; choose another ` +
        "`collectionPrefix`, or a database of Queuert's own.",
      options,
    );
    this.collection = collection;
  }
}

/** A job would have become larger than MongoDB lets a document be. */
export class MongoDocumentTooLargeError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_DOCUMENT_TOO_LARGE" as const;

  constructor(options?: ErrorOptions) {
    super(
      "A job with its input, output and blockers must fit into 16 MB, the most that a document of MongoDB's can hold. Nothing of " +
        "it was stored; keep large payloads elsewhere, and give jobs a reference to them.",
      options,
    );
  }
}

/** The client asks the server to refuse what notifications are made with. */
export class MongoStrictApiError extends QueuertError {
  readonly code = "QUEUERT_MONGODB_STRICT_API" as const;

  constructor(options?: ErrorOptions) {
    super(
      "The client was made with `serverApi: { strict: true }`, and the Stable API has neither capped collections nor cursors that " +
        "wait. Give `createMongoNotifyAdapter` a client without it, or use another notify adapter.",
      options,
    );
  }
}
