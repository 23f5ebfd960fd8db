// BEGIN before a statement and COMMIT behind one, in one exchange with the server: a round trip less for each. The exchange
// ends with a single Sync, so the server skips the statement if BEGIN fails, and COMMIT if the statement fails. In
// exchanges of their own, a lost BEGIN would leave the statement behind it stored.
//
// The driver has no method for this. Its queries are objects with a documented `submit`, which writes their messages to
// the connection, as `pg-cursor` and `pg-query-stream` do. Ours write a few messages more.
import type { ClientBase, QueryResult } from "pg";
import { isFunction, isSubmittable } from "./pg-client.ts";

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
 * The driver's own class of queries; undefined if it does not have the expected shape, such as `pg-native`. Taken from the
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

export interface FirstListener {
  onDone(): void;
  onFailed(error: Error): void;
}

/**
 * Puts another statement, such as BEGIN, before a query that has not been submitted. The query must be prepared: others end
 * without Sync.
 */
export const prependStatement = (
  query: WireQuery,
  first: string,
  listener: FirstListener,
): void => {
  const { submit, handleCommandComplete, handleError, name } = query;
  let isDone = false;
  query.submit = (connection) => {
    connection.stream.cork?.();
    try {
      sendWithoutSync(connection, first);
      return submit.call(query, connection);
    } finally {
      // Until the first statement is answered: the driver would take its ParseComplete for that of the named statement.
      query.name = undefined;
      connection.stream.uncork?.();
    }
  };
  query.handleCommandComplete = (message, connection) => {
    if (isDone) return handleCommandComplete.call(query, message, connection);
    isDone = true;
    query.name = name;
    listener.onDone();
  };
  query.handleError = (error, connection) => {
    if (!isDone) listener.onFailed(error);
    handleError.call(query, error, connection);
  };
};

/** Puts COMMIT behind a query that has not been submitted. Returns the server's answer to it, once the query has resolved. */
export const appendCommit = (query: WireQuery): (() => string | undefined) => {
  const { submit, handleCommandComplete } = query;
  const answers: string[] = [];
  query.submit = (connection) => {
    let isWritten = true;
    const withCommit = Object.create(connection) as WireConnection;
    withCommit.close = (message) => {
      // The driver could not write the arguments and closes the statement.
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

/** Submits a query object; the driver returns a promise only for its own. */
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
    // As the driver does: the stack of the socket does not contain the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  });

/** The query that BEGIN can go before; undefined for a query of the simple protocol or one that another library writes. */
export const toPreparedQuery = (
  client: ClientBase,
  args: readonly unknown[],
): WireQuery | undefined => {
  const [config, values] = args;
  const Query = queryClassOf(client);
  if (Query === undefined || isSubmittable(config) || args.some(isFunction)) return undefined;
  if (config === null || config === undefined) return undefined;
  const query = new Query(config, values);
  if (!query.requiresPreparation() || query.rows || query.callback) return undefined;
  const { query_timeout } = config as { readonly query_timeout?: unknown };
  return Object.assign(query, { query_timeout });
};
