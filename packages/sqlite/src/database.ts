// Runs the methods of the contract as synchronous steps: nothing else of this process runs during a step. A step runs in
// the caller's transaction or in its own. Only this file and the migrations call the provider.
import { StateNotInTransactionError } from "queuert/internal";
import type { SqliteConnection } from "./connection.ts";
import { endLongTurn } from "./event-loop-turn.ts";
import { createKnownOrdinals, type KnownOrdinals } from "./known-ordinals.ts";
import { toStoreError } from "./named-errors.ts";
import type { TableNames } from "./names.ts";
import { type Session, sessionOf } from "./session.ts";
import type { SqliteStateProvider } from "./state-provider.ts";

export interface Database<TTxContext extends object, TContext extends object> {
  readonly names: TableNames;
  readonly nextId: () => string;
  readonly ordinals: KnownOrdinals;
  /**
   * Runs a step in the transaction of the context, or in its own without a context. The step writes all or nothing.
   * `writes`: a step with a single statement is atomic by itself, and needs no savepoint.
   */
  write<T>(
    operation: string,
    context: TTxContext | TContext | undefined,
    step: (session: Session) => T,
    writes?: "one_statement",
  ): Promise<T>;
  /** Runs a step that needs the transaction of the context. */
  writeWithin<T>(operation: string, context: TTxContext, step: (session: Session) => T): Promise<T>;
  read<T>(context: TTxContext | TContext | undefined, step: (session: Session) => T): Promise<T>;
}

interface Within<T> {
  readonly writes?: "one_statement" | undefined;
  /** Takes over if the context never was in a transaction. */
  readonly outside: () => Promise<T>;
}

export const createDatabase = <TTxContext extends object, TContext extends object>(
  provider: SqliteStateProvider<TTxContext, TContext>,
  names: TableNames,
  nextId: () => string,
): Database<TTxContext, TContext> => {
  const run = <T>(connection: SqliteConnection, step: (session: Session) => T): T => {
    try {
      return step(sessionOf(connection));
    } catch (error) {
      throw toStoreError(error, connection, names);
    }
  };

  const inOwnTransaction = <T>(step: (session: Session) => T): Promise<T> =>
    provider.write === undefined
      ? provider.runInTransaction(async (context) => run(provider.connectionOf(context), step))
      : provider.write((connection) => run(connection, step));

  /** The connection of an open transaction. Null for a context that never was in one. */
  const connectionWithin = (
    operation: string,
    context: TTxContext | TContext,
  ): SqliteConnection | null => {
    try {
      // Throws if the transaction has ended.
      const connection = provider.connectionOf(context);
      if (!provider.isInTransaction(context)) return null;
      if (connection.inTransaction) return connection;
    } catch (error) {
      throw new StateNotInTransactionError(operation, undefined, { cause: error });
    }
    // Rolled back by SQLite, or by the user: the step would be stored, even if the callback then fails.
    throw new StateNotInTransactionError(operation);
  };

  const within = async <T>(
    operation: string,
    context: TTxContext | TContext,
    step: (session: Session) => T,
    { writes, outside }: Within<T>,
  ): Promise<T> => {
    const long = endLongTurn();
    if (long !== null) await long;
    // Looked up after this wait, in which the transaction may have ended, and used at once.
    const connection = connectionWithin(operation, context);
    if (connection === null) return outside();
    return run(connection, (session) =>
      writes === "one_statement" ? step(session) : allOrNothing(connection, session, step),
    );
  };

  return {
    names,
    nextId,
    ordinals: createKnownOrdinals(),
    write: (operation, context, step, writes) => {
      const outside = () => inOwnTransaction(step);
      return context === undefined
        ? outside()
        : within(operation, context, step, { writes, outside });
    },
    writeWithin: (operation, context, step) =>
      within(operation, context, step, {
        outside: () => Promise.reject(new StateNotInTransactionError(operation)),
      }),
    read: async (context, step) => {
      if (context !== undefined) {
        const long = endLongTurn();
        if (long !== null) await long;
        return run(provider.connectionOf(context), step);
      }
      return provider.read === undefined
        ? provider.provideContext(async (own) => run(provider.connectionOf(own), step))
        : provider.read((connection) => run(connection, step));
    },
  };
};

/** In a transaction that continues, a step that fails must leave no part of itself behind. */
const allOrNothing = <T>(
  connection: SqliteConnection,
  session: Session,
  step: (session: Session) => T,
): T => {
  if (connection.atomically !== undefined) return connection.atomically(() => step(session));
  session.run("SAVEPOINT queuert_step");
  try {
    const result = step(session);
    session.run("RELEASE queuert_step");
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back the whole transaction.
    if (connection.inTransaction) {
      session.run("ROLLBACK TO queuert_step");
      session.run("RELEASE queuert_step");
    }
    throw error;
  }
};
