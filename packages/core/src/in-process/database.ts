// Statements and transactions over the store. One writer at a time, first come, first served: a transaction holds
// the lock from its beginning to its end, a statement outside any takes it for one synchronous step, so the free
// lock costs it nothing. Reads never wait: outside the open transaction they see what is committed.
import { randomBytes } from "node:crypto";
import { type AsyncLock, createAsyncLock } from "../async/async-lock.ts";
import type { Clock } from "../async/clock.ts";
import { StateNotInTransactionError } from "../errors.ts";
import type { View } from "./job-cell.ts";
import { Store } from "./store.ts";

/** Stands for an open transaction; opaque. */
export class InProcessTransaction {
  // Makes the type nominal: only this store hands one out.
  private readonly kind = "in-process transaction";

  get [Symbol.toStringTag](): string {
    return this.kind;
  }
}

/** What statements run in: a transaction, or none. Spread it into the calls. */
export interface InProcessContext {
  readonly transaction?: InProcessTransaction | undefined;
}

export class Database {
  readonly store: Store = new Store();
  readonly storeId: string = randomBytes(8).toString("hex");
  readonly generateId: () => string;
  private readonly clock: Pick<Clock, "now">;
  private readonly writerLock: AsyncLock = createAsyncLock();
  private open: InProcessTransaction | null = null;

  constructor(clock: Pick<Clock, "now">, generateId: () => string) {
    this.clock = clock;
    this.generateId = generateId;
  }

  isInTransaction({ transaction }: InProcessContext): boolean {
    return transaction !== undefined && transaction === this.open;
  }

  async runInTransaction<T>(callback: (context: InProcessContext) => Promise<T>): Promise<T> {
    const release = this.writerLock.tryAcquire() ?? (await this.writerLock.acquire());
    const transaction = new InProcessTransaction();
    this.open = transaction;
    try {
      const result = await callback({ transaction });
      this.store.commit();
      return result;
    } catch (error) {
      this.store.rollbackTo(0);
      throw error;
    } finally {
      this.open = null;
      release();
    }
  }

  /** A statement that writes: in the context's transaction, or in one of its own. */
  async write<T>(
    context: InProcessContext | undefined,
    operation: string,
    statement: (store: Store) => T,
  ): Promise<T> {
    if (this.assertCurrent(context, operation)) return this.execute(statement);
    const release = this.writerLock.isLocked ? await this.writerLock.acquire() : null;
    try {
      const result = this.execute(statement);
      this.store.commit();
      return result;
    } finally {
      release?.();
    }
  }

  /** A statement that has no meaning outside a transaction. */
  async writeInTransaction<T>(
    context: InProcessContext | undefined,
    operation: string,
    statement: (store: Store) => T,
  ): Promise<T> {
    if (!this.assertCurrent(context, operation)) throw new StateNotInTransactionError(operation);
    return this.execute(statement);
  }

  /** A statement that only looks. */
  async read<T>(
    context: InProcessContext | undefined,
    operation: string,
    statement: (store: Store, view: View) => T,
  ): Promise<T> {
    const view = this.assertCurrent(context, operation) ? "transaction" : "committed";
    return statement(this.store, view);
  }

  /** A statement that looks through indexes which know the writer's view only. */
  async readIndexes<T>(
    context: InProcessContext | undefined,
    operation: string,
    statement: (store: Store) => T,
  ): Promise<T> {
    const isInside = this.assertCurrent(context, operation);
    this.store.now = this.clock.now();
    return isInside
      ? statement(this.store)
      : this.store.withCommittedIndexes(() => statement(this.store));
  }

  /** True in the open transaction, false outside any. A transaction that has ended is neither. */
  private assertCurrent(context: InProcessContext | undefined, operation: string): boolean {
    if (context?.transaction === undefined) return false;
    if (context.transaction !== this.open) throw new StateNotInTransactionError(operation);
    return true;
  }

  /** All of the statement or nothing of it. */
  private execute<T>(statement: (store: Store) => T): T {
    const { store } = this;
    const { savepoint } = store;
    store.now = this.clock.now();
    try {
      return statement(store);
    } catch (error) {
      store.rollbackTo(savepoint);
      throw error;
    }
  }
}
