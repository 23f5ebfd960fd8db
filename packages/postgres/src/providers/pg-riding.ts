// BEGIN and COMMIT that ride with a statement, in one message to the server: a round trip less each. What rides is one
// exchange that ends with a single Sync, so when BEGIN fails the server skips the statement, and when the statement fails
// it skips COMMIT. Sent as exchanges of their own, a lost BEGIN would leave the statement behind it stored for good.
//
// The driver has no word for this. Its queries are objects with a documented `submit`, which writes their messages to
// the connection, as `pg-cursor` and `pg-query-stream` do; ours write a few messages more.
import type { ClientBase, QueryResult } from "pg";

/** The part of the driver's connection that queries write to. */
interface WireConnection {
  parse(message: { readonly text: string }): void;
  bind(message: object): void;
  execute(message: object): void;
  close(message: object): void;
  sync(): void;
  readonly stream: { cork?(): void; uncork?(): void };
}

/** The driver's query, as far as it is used here. */
export interface WireQuery {
  name: string | undefined;
  readonly rows?: unknown;
  callback?: ((error: Error | null, result: QueryResult) => void) | undefined;
  requiresPreparation(): boolean;
  submit(connection: WireConnection): Error | null;
  handleCommandComplete(message: { readonly text: string }, connection: WireConnection): void;
  handleError(error: Error, connection: WireConnection): void;
}

type QueryConstructor = new (config: unknown, values?: unknown) => WireQuery;

const methodsNeeded = ["submit", "requiresPreparation", "handleCommandComplete", "handleError"];

/**
 * The driver's own class of queries; undefined where it has none of the expected shape, such as `pg-native`. Taken from the
 * client: there may be several versions of the driver in a process.
 */
export const queryClassOf = (client: ClientBase): QueryConstructor | undefined => {
  const { Query } = client.constructor as { readonly Query?: QueryConstructor };
  const methods = Query?.prototype as Readonly<Record<string, unknown>> | undefined;
  const { connection } = client as { readonly connection?: Partial<WireConnection> };
  const isKnown =
    methodsNeeded.every((name) => typeof methods?.[name] === "function") &&
    typeof connection?.parse === "function" &&
    typeof connection.sync === "function";
  return isKnown ? Query : undefined;
};

const sendWithoutSync = (connection: WireConnection, text: string): void => {
  connection.parse({ text });
  connection.bind({});
  connection.execute({});
};

export interface BeginListener {
  onBegun(): void;
  onFailed(error: Error): void;
}

/** Lets a query that has not been submitted bring BEGIN. It must be one that is prepared: others end with no Sync. */
export const bringBegin = (query: WireQuery, begin: string, listener: BeginListener): void => {
  const { submit, handleCommandComplete, handleError, name } = query;
  let isBegun = false;
  query.submit = (connection) => {
    connection.stream.cork?.();
    try {
      sendWithoutSync(connection, begin);
      return submit.call(query, connection);
    } finally {
      // Until BEGIN is answered: the driver would take its ParseComplete for that of the named statement.
      query.name = undefined;
      connection.stream.uncork?.();
    }
  };
  query.handleCommandComplete = (message, connection) => {
    if (isBegun) return handleCommandComplete.call(query, message, connection);
    isBegun = true;
    query.name = name;
    listener.onBegun();
  };
  query.handleError = (error, connection) => {
    if (!isBegun) listener.onFailed(error);
    handleError.call(query, error, connection);
  };
};

/** Lets a query that has not been submitted bring COMMIT. Answers for how COMMIT was answered, once the query has resolved. */
export const bringCommit = (query: WireQuery): (() => string | undefined) => {
  const { submit, handleCommandComplete } = query;
  const answers: string[] = [];
  query.submit = (connection) => {
    let isWritten = true;
    const withCommit = Object.create(connection) as WireConnection;
    withCommit.close = (message) => {
      // The driver could not write the arguments, and closes what it has begun.
      isWritten = false;
      connection.close(message);
    };
    withCommit.sync = () => {
      if (isWritten) sendWithoutSync(connection, "COMMIT");
      connection.sync();
    };
    return submit.call(query, withCommit);
  };
  query.handleCommandComplete = (message, connection) => {
    if (answers.push(message.text) === 1) handleCommandComplete.call(query, message, connection);
  };
  return () => answers[1];
};

/** Submits a query object; the driver answers with a promise only for those it has made itself. */
export const submitQuery = (
  send: (query: WireQuery) => unknown,
  query: WireQuery,
): Promise<QueryResult> =>
  new Promise<QueryResult>((resolve, reject) => {
    query.callback = (error, result) => {
      if (error === null || error === undefined) resolve(result);
      else reject(error);
    };
    send(query);
  }).catch((error: unknown) => {
    // As the driver does: the socket's stack says nothing about who has made the query.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  });
