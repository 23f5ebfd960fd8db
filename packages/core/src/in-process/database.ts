// Statements and transactions over the store. There is one writer at a time, in the order of the calls. A transaction
// holds the lock from its beginning to its end. A statement outside any transaction holds it for one synchronous step, so
// a free lock costs nothing. Reads never wait: outside the open transaction they see the committed state.
import { type AsyncLock, createAsyncLock } from "../async/async-lock.ts";
import type { Clock } from "../async/clock.ts";
import { StateNotInTransactionError } from "../errors.ts";
import type { StoredAction } from "../adapters/operator-actions.ts";
import type { OperatorStore, StoredMetric, StoredWorker } from "../adapters/operator-store.ts";
import type { StoredLogChunk, StoredProgress } from "../adapters/operator-logs.ts";
import type { StateAdapter } from "../adapters/state-adapter.ts";
import type { View } from "./stored-job.ts";
import { Store, transactionStart } from "./store.ts";

/** The identity of an open transaction. */
export class InProcessTransaction {
  // Makes the type nominal: no other code can create one.
  private readonly kind = "in-process transaction";

  get [Symbol.toStringTag](): string {
    return this.kind;
  }
}

/** The transaction in which statements run, or none. Spread it into the calls. */
export interface InProcessContext {
  readonly transaction?: InProcessTransaction | undefined;
}

/** The state adapter that keeps jobs in the memory of this process. */
export type InProcessStateAdapter = StateAdapter<InProcessContext, InProcessContext, string>;

/** One method of it. */
export type InProcessMethod<TName extends keyof InProcessStateAdapter> =
  InProcessStateAdapter[TName];

/** One method for operators. */
export type InProcessOperatorMethod<TName extends keyof OperatorStore> =
  Required<OperatorStore>[TName];

/** The lines and the progress of a job. */
export interface JobLog {
  /** By attempt and line. */
  chunks: readonly (StoredLogChunk & { readonly at: Date })[];
  progress: StoredProgress | undefined;
}

export class Database {
  readonly store: Store = new Store();
  /** The registry of workers, by the id of their instance. */
  readonly workers: Map<string, StoredWorker> = new Map();
  /** The counts of attempts, by step, time and type. */
  readonly metrics: Map<string, StoredMetric & { readonly stepMs: number }> = new Map();
  /** The lines and the progress of jobs, by the id of the job. */
  readonly logs: Map<string, JobLog> = new Map();
  /** The actions of operators, by their id. */
  readonly actions: Map<string, StoredAction> = new Map();
  readonly storeId: string = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
  readonly generateId: () => string;
  private readonly clock: Pick<Clock, "now">;
  private readonly writerLock: AsyncLock = createAsyncLock();
  private open: InProcessTransaction | null = null;

  constructor(clock: Pick<Clock, "now">, generateId: () => string) {
    this.clock = clock;
    this.generateId = generateId;
  }

  now(): number {
    return this.clock.now();
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
      this.store.rollbackTo(transactionStart);
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

  /** A statement that needs a transaction. */
  async writeInTransaction<T>(
    context: InProcessContext | undefined,
    operation: string,
    statement: (store: Store) => T,
  ): Promise<T> {
    if (!this.assertCurrent(context, operation)) throw new StateNotInTransactionError(operation);
    return this.execute(statement);
  }

  /** A statement that only reads. */
  async read<T>(
    context: InProcessContext | undefined,
    operation: string,
    statement: (store: Store, view: View) => T,
  ): Promise<T> {
    const view = this.assertCurrent(context, operation) ? "transaction" : "committed";
    return statement(this.store, view);
  }

  /** A statement that reads indexes, which have only the version of the writer. */
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

  /** True in the open transaction, false outside any. Throws for a transaction that has ended. */
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
