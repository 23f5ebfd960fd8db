// The only caller of the provider. A method of the contract is a synchronous step here: it runs without anybody in
// between, in the caller's transaction or in one of its own.
import { StateNotInTransactionError } from "queuert/internal";
import type { SqliteConnection } from "./connection.ts";
import { SqliteTransactionEndedError } from "./errors.ts";
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
   * In the transaction of the context, or in one of its own. The step writes all or nothing; one that writes with a
   * single statement does so by itself, and can say so.
   */
  write<T>(
    context: TTxContext | TContext | undefined,
    step: (session: Session) => T,
    writes?: "one_statement",
  ): Promise<T>;
  /** In the transaction of the context; there has to be one. */
  writeWithin<T>(operation: string, context: TTxContext, step: (session: Session) => T): Promise<T>;
  read<T>(context: TTxContext | TContext | undefined, step: (session: Session) => T): Promise<T>;
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

  const ownTransaction = <T>(step: (session: Session) => T): Promise<T> =>
    provider.write === undefined
      ? provider.runInTransaction(async (context) => run(provider.connectionOf(context), step))
      : provider.write((connection) => run(connection, step));

  const within = async <T>(
    context: TTxContext | TContext,
    step: (session: Session) => T,
    writes?: "one_statement",
  ): Promise<T> => {
    const long = endLongTurn();
    if (long !== null) await long;
    const connection = provider.connectionOf(context);
    // Rolled back by SQLite itself, or by the user: what is written now would be stored, whatever becomes of the callback.
    if (!connection.inTransaction) throw new SqliteTransactionEndedError();
    return run(connection, (session) =>
      writes === "one_statement" ? step(session) : allOrNothing(connection, session, step),
    );
  };

  return {
    names,
    nextId,
    ordinals: createKnownOrdinals(),
    write: (context, step, writes) =>
      context !== undefined && provider.isInTransaction(context)
        ? within(context, step, writes)
        : ownTransaction(step),
    writeWithin: async (operation, context, step) => {
      if (!provider.isInTransaction(context)) throw new StateNotInTransactionError(operation);
      return within(context, step);
    },
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

/** In a transaction that goes on, a step that fails half way must leave nothing behind. */
const allOrNothing = <T>(
  connection: SqliteConnection,
  session: Session,
  step: (session: Session) => T,
): T => {
  session.run("SAVEPOINT queuert_step");
  try {
    const result = step(session);
    session.run("RELEASE queuert_step");
    return result;
  } catch (error) {
    // SQLite may have rolled back the whole transaction already, as it does when the disk is full.
    if (connection.inTransaction) {
      session.run("ROLLBACK TO queuert_step");
      session.run("RELEASE queuert_step");
    }
    throw error;
  }
};
