// A transaction of `pg` that begins with its first statement, whoever sends that: ours, or the user's over the same client.
import type { ClientBase, QueryConfig, QueryResult } from "pg";
import { PgTransactionAbortedError } from "../errors.ts";
import { bringBegin, bringCommit, queryClassOf, submitQuery, type WireQuery } from "./pg-riding.ts";

// Named, since a database's default may be another.
const beginSql = "BEGIN ISOLATION LEVEL READ COMMITTED";

type Query = (...args: readonly unknown[]) => unknown;

interface Submittable {
  submit(connection: unknown): unknown;
  handleError?(error: unknown, connection: unknown): void;
}

export interface PgTransaction {
  /** Runs one last statement and commits with it. If the statement fails, nothing is committed. */
  queryAndCommit(config: object): Promise<QueryResult>;
  commit(): Promise<void>;
  /** The client is as it was. Answers the error after which it must not be used again. */
  rollBack(): Promise<Error | undefined>;
}

/** From now on the client's first statement brings BEGIN. Others that are sent before its answer wait for that. */
export const openTransaction = (client: ClientBase): PgTransaction => {
  const beginning = beginWithFirst(client);
  let isCommitted = false;
  const commit = async (): Promise<void> => {
    const begun = beginning.end();
    // Nothing was sent, so there is nothing to commit.
    if (isCommitted || begun === null) return;
    await begun;
    const { command } = await client.query("COMMIT");
    if (command === "ROLLBACK") throw new PgTransactionAbortedError();
    isCommitted = true;
  };
  return {
    queryAndCommit: async (config) => {
      const Query = queryClassOf(client);
      if (Query === undefined) {
        await beginning.ensure();
        const result = await client.query(config as QueryConfig);
        await commit();
        return result;
      }
      const query = new Query(config);
      const commitAnswer = bringCommit(query);
      const result = await beginning.sendLast(query);
      if (commitAnswer() !== "COMMIT") throw new PgTransactionAbortedError();
      isCommitted = true;
      return result;
    },
    commit,
    rollBack: async () => {
      const begun = beginning.end();
      if (begun === null || isCommitted) return undefined;
      try {
        // A connection on which BEGIN has failed is in a state that nobody knows.
        await begun;
        await client.query("ROLLBACK");
        return undefined;
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    },
  };
};

interface Beginning {
  /** Sends BEGIN by itself, unless it has been sent. */
  ensure(): Promise<void>;
  /** Sends a statement that is prepared: behind BEGIN, or with it if nothing was sent before. */
  sendLast(query: WireQuery): Promise<QueryResult>;
  /** Gives the client its own `query` back. Null if BEGIN was never sent. */
  end(): Promise<void> | null;
}

const beginWithFirst = (client: ClientBase): Beginning => {
  const patched = client as unknown as { query: Query };
  const before = Object.getOwnPropertyDescriptor(client, "query");
  const send: Query = patched.query.bind(client);
  let begun: Promise<void> | null = null;
  // The client has its own `query` back, and whoever still holds ours goes through it.
  let isOpen = false;

  const pass = (): void => {
    if (isOpen) return;
    isOpen = true;
    if (before === undefined) delete (client as { query?: unknown }).query;
    else Object.defineProperty(client, "query", before);
  };
  const ensure = (): Promise<void> => {
    if (begun === null) {
      begun = (send(beginSql) as Promise<unknown>).then(pass);
      begun.catch(heardByWhoeverWaits);
    }
    return begun;
  };
  const first = (query: WireQuery): Promise<QueryResult> => {
    begun = new Promise((resolve, reject) => {
      const onBegun = (): void => {
        pass();
        resolve();
      };
      bringBegin(query, beginSql, { onBegun, onFailed: reject });
    });
    begun.catch(heardByWhoeverWaits);
    return submitQuery(send, query);
  };

  patched.query = (...args) => {
    if (isOpen) return send(...args);
    const query = begun === null ? toCarrier(client, args) : undefined;
    return query === undefined ? sendAfter(client, ensure(), send, args) : first(query);
  };
  return {
    ensure,
    sendLast: async (query) => {
      if (begun === null) return first(query);
      await begun;
      return submitQuery(send, query);
    },
    end: () => {
      const sent = begun;
      // What is still to come of this transaction waits for BEGIN, and only then.
      if (sent === null) pass();
      return sent;
    },
  };
};

/** Those who wait for BEGIN reject with its error; without any, the end of the transaction does. */
const heardByWhoeverWaits = (): void => undefined;

/** The query to bring BEGIN with; undefined for what the driver sends by the simple protocol, or somebody else writes. */
const toCarrier = (client: ClientBase, args: readonly unknown[]): WireQuery | undefined => {
  const [config, values] = args;
  const Query = queryClassOf(client);
  if (Query === undefined || isSubmittable(config) || args.some(isFunction)) return undefined;
  if (config === null || config === undefined) return undefined;
  const query = new Query(config, values);
  if (!query.requiresPreparation() || query.rows || query.callback) return undefined;
  const { query_timeout } = config as { readonly query_timeout?: unknown };
  return Object.assign(query, { query_timeout });
};

const isFunction = (value: unknown): boolean => typeof value === "function";

const isSubmittable = (value: unknown): value is Submittable =>
  isFunction((value as Partial<Submittable> | null | undefined)?.submit);

/** Answers as the driver does for these arguments: with a promise, nothing for a callback, or the object given. */
const sendAfter = (
  client: ClientBase,
  begun: Promise<void>,
  send: Query,
  args: readonly unknown[],
): unknown => {
  const [config] = args;
  if (isSubmittable(config)) {
    const { connection } = client as { readonly connection?: unknown };
    begun.then(
      () => send(...args),
      (error: unknown) => config.handleError?.(error, connection),
    );
    return config;
  }
  const callback = args.find(isFunction) as ((error: unknown) => void) | undefined;
  if (callback === undefined) return begun.then(() => send(...args));
  begun.then(() => send(...args), callback);
  return undefined;
};
