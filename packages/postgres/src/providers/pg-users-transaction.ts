// Writes in a transaction that the user has begun. A client sends one query after another. So a ROLLBACK may be sent between the
// call of a write and its statement, which would then be stored by itself. The server gives the state of its transaction with
// each reply. It is read when the driver sends the statement: all replies have arrived then, and no round trip is added.
import type { ClientBase, QueryResult } from "pg";
import { StateNotInTransactionError } from "queuert";
import { prependStatement, queryClassOf, submitQuery, type WireQuery } from "./prepend-begin.ts";

interface Observed {
  /** `I` outside a transaction; null before the first reply. */
  status: string | null;
  /** The number of replies outside a transaction: within one transaction it stays the same. */
  idleCount: number;
}

interface ObservedConnection {
  prependListener?(
    name: string,
    listener: (message: { readonly status?: string }) => void,
  ): unknown;
}

const observedClients = new WeakMap<ClientBase, Observed>();

/** Undefined for a client without a connection of the expected shape, such as `pg-native`. */
const observe = (client: ClientBase): Observed | undefined => {
  const known = observedClients.get(client);
  if (known !== undefined) return known;
  const { connection, getTransactionStatus } = client as {
    readonly connection?: ObservedConnection;
    readonly getTransactionStatus?: () => string | null;
  };
  if (typeof connection?.prependListener !== "function") return undefined;
  // Known to the driver from version 8.23 on.
  const status = getTransactionStatus?.call(client) ?? null;
  const observed: Observed = { status, idleCount: 0 };
  // Before the driver's own listener, which sends the next query.
  connection.prependListener("readyForQuery", (message) => {
    observed.status = message.status ?? null;
    if (observed.status === "I") observed.idleCount++;
  });
  observedClients.set(client, observed);
  return observed;
};

/** The transactions in which contexts were found open, by `idleCount`. */
const foundIn = new WeakMap<object, number>();

/** Whether the client is in a transaction. A write with this context then belongs to that transaction only. */
export const isInUsersTransaction = async (
  client: ClientBase,
  context: object,
): Promise<boolean> => {
  const observed = observe(client);
  const isInside =
    observed === undefined || observed.status === null
      ? await askServer(client)
      : observed.status !== "I";
  if (isInside && observed !== undefined) foundIn.set(context, observed.idleCount);
  return isInside;
};

const askServer = async (client: ClientBase): Promise<boolean> => {
  // Outside a transaction block both are the moment this statement began.
  const { rows } = await client.query<{ inside: boolean }>(
    "SELECT pg_catalog.now() OPERATOR(pg_catalog.<>) pg_catalog.statement_timestamp() AS inside",
  );
  return rows[0]?.inside === true;
};

const refusal = (): Error => new StateNotInTransactionError("A write");

/** Sends a write of the context's transaction. Refuses it if that transaction has ended when the driver sends it. */
export const sendInUsersTransaction = async (
  client: ClientBase,
  config: object,
  context: object,
): Promise<QueryResult> => {
  const observed = observe(client);
  const Query = queryClassOf(client);
  if (observed === undefined || Query === undefined) return client.query(config as never);
  if (observed.status === null && !(await askServer(client))) throw refusal();
  const expected = foundIn.get(context) ?? observed.idleCount;
  const query = new Query(config);
  if (awaitsReplies(client) && query.requiresPreparation()) return sendGuarded(client, query);
  const { submit } = query;
  query.submit = (connection) =>
    observed.status === "I" || observed.idleCount !== expected
      ? refusal()
      : submit.call(query, connection);
  return submitQuery((sent) => client.query(sent as never), query);
};

/** Whether the query will be sent before the replies to earlier ones. */
const awaitsReplies = (client: ClientBase): boolean => {
  const { pipeline, readyForQuery } = client as {
    readonly pipeline?: unknown;
    readonly readyForQuery?: unknown;
  };
  return pipeline === true && readyForQuery !== true;
};

// With `pipeline: true` a query is sent before the replies to earlier ones. So a statement that the server refuses outside a
// transaction block is sent in the same exchange, before the write. If it fails, the server skips the write. It locks a
// table that each statement reads.
const guardSql = "LOCK TABLE pg_catalog.pg_namespace IN ACCESS SHARE MODE";
const noActiveTransaction = "25P01";

const sendGuarded = async (client: ClientBase, query: WireQuery): Promise<QueryResult> => {
  const ignore = (): void => undefined;
  prependStatement(query, guardSql, { onDone: ignore, onFailed: ignore });
  try {
    return await submitQuery((sent) => client.query(sent as never), query);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    throw code === noActiveTransaction ? refusal() : error;
  }
};
