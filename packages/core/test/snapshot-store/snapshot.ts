// A store in one JSON text, written by ADAPTERS.md to try that page. It is slow, and reads as little of the library as an
// outside author would. Each statement parses the text, and each commit replaces it. There is one writer at a time.
import { randomBytes } from "node:crypto";
import { StateNotInTransactionError, type StateAdapter, type StateLimitState } from "queuert";
import {
  createAsyncLock,
  type JobRecord,
  type StateSchedule,
  type StateTick,
} from "queuert/internal";

/** Instants are milliseconds. */
export type Row = JobRecord<number> & {
  /** The lease version of the attempt that completed the job. */
  readonly completedByLease: number | null;
  /** When the last blocker completed. Null without blockers. */
  readonly releasedAt: number | null;
};

export interface Edge {
  readonly jobId: string;
  readonly blockerSequenceId: string;
  readonly index: number;
}

export type ScheduleRow = Omit<StateSchedule, "lookAt"> & { readonly lookAt: number | null };

export type TickRow = Omit<StateTick, "tickAt" | "firedAt"> & {
  readonly tickAt: number;
  readonly firedAt: number;
};

export interface PausedType {
  readonly pausedAt: number;
  readonly until: number | null;
  readonly note: string | null;
}

export interface LimitRow extends Omit<StateLimitState, "updatedAt" | "running" | "tokens"> {
  readonly updatedAt: number;
  readonly backAtUs: number | null;
}

export interface Data {
  nextOrdinal: number;
  rows: Record<string, Row>;
  edges: Edge[];
  schedules: Record<string, ScheduleRow>;
  ticks: TickRow[];
  /** By type name. */
  pauses: Record<string, PausedType>;
  limits: Record<string, LimitRow>;
}

class Transaction {
  readonly database: Database;
  data: Data | null;

  constructor(database: Database, data: Data) {
    this.database = database;
    this.data = data;
  }
}

export interface Context {
  readonly transaction?: Transaction | undefined;
}

export type SnapshotStateAdapter = StateAdapter<Context, Context, string>;
export type Method<TName extends keyof SnapshotStateAdapter> = SnapshotStateAdapter[TName];

/** One statement: the data, and the time at which it runs. */
export type Statement<T> = (data: Data, now: number) => T;

export class Database {
  readonly storeId: string = randomBytes(8).toString("hex");
  #text: string = JSON.stringify({
    nextOrdinal: 1,
    rows: {},
    edges: [],
    schedules: {},
    ticks: [],
    pauses: {},
    limits: {},
  } satisfies Data);
  readonly #writer = createAsyncLock();

  isInTransaction({ transaction }: Context): boolean {
    return transaction?.database === this && transaction.data !== null;
  }

  async runInTransaction<T>(callback: (context: Context) => Promise<T>): Promise<T> {
    return this.#writer.run(async () => {
      const data = this.#parse();
      const transaction = new Transaction(this, data);
      try {
        const result = await callback({ transaction });
        this.#text = JSON.stringify(data);
        return result;
      } finally {
        transaction.data = null;
      }
    });
  }

  async write<T>(context: Context | undefined, statement: Statement<T>): Promise<T> {
    if (context?.transaction !== undefined) return statement(this.#inside(context), Date.now());
    return this.runInTransaction(async (own) => statement(this.#inside(own), Date.now()));
  }

  /** A write that needs the transaction of its caller. */
  async writeInside<T>(context: Context, statement: Statement<T>): Promise<T> {
    return statement(this.#inside(context), Date.now());
  }

  async read<T>(context: Context | undefined, statement: Statement<T>): Promise<T> {
    const isInside = context?.transaction !== undefined;
    return statement(isInside ? this.#inside(context) : this.#parse(), Date.now());
  }

  #inside(context: Context): Data {
    const data = this.isInTransaction(context) ? context.transaction?.data : null;
    if (data === null || data === undefined) throw new StateNotInTransactionError("A statement");
    return data;
  }

  #parse(): Data {
    // The text was written by this class.
    return JSON.parse(this.#text) as Data;
  }
}
