// The jobs of one call of a batch handler. Each job is an attempt of its own, with its own middleware, timeout and outcome. The
// process function of each waits here until all have come this far. Then the handler is called once for those that have.
//
//   attempts ─▶ middleware of each ─▶ enter ─┬─▶ handler, once ─▶ complete([…]) ─▶ outcome of each ─▶ middleware of each
//                     │ ends without entering │
//                     └───────────────────────┘
//
// By callback all completions share one transaction. It stays open until each attempt has ended.
import type { CompletionOutcome } from "../../adapters/state-adapter-params.ts";
import { createDeferred, type Deferred } from "../../async/deferred.ts";
import type { Engine } from "../../engine.ts";
import { InvalidOptionError, ProcessMisuseError } from "../../errors.ts";
import type { Job } from "../../model/job.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import type { Completion } from "../../public-types/process.ts";
import { observeStep } from "../../observe/guarded-span.ts";
import { createContinueWith } from "../continuation.ts";
import { assertNotOver, type Attempt, CompletionToken, markHandled } from "./attempt.ts";
import { type BatchItem, toBatchItems } from "./batch-outcomes.ts";

import type { Outcome } from "./decide-failure.ts";
import { type HeldTransaction, openHeldTransaction } from "./complete.ts";
import { type ProcessContext, processAttempt } from "./process-attempt.ts";
import { type Layer, runInLayers, toLayers } from "./transaction-middleware.ts";

/** The argument of a batch handler, types aside. */
export interface BatchContext {
  readonly jobs: readonly Job[];
  readonly signal: AbortSignal;
  readonly complete: (outcomes: unknown) => Promise<BatchToken>;
}

/** One batch handler, types aside. */
export type BatchProcess = (context: BatchContext) => Promise<unknown>;

/** The result of `complete`, which the handler must return: an item for each of its jobs. */
export class BatchToken {
  readonly batch: Batch;
  readonly items: readonly BatchItem[];

  constructor(batch: Batch, items: readonly BatchItem[]) {
    this.batch = batch;
    this.items = items;
  }
}

/** The outcomes of a batch, in the order of its attempts. */
export interface BatchResult {
  readonly outcomes: readonly Outcome[];
  /** Null: by value. */
  readonly transaction: HeldTransaction | null;
  /** A completion of the transaction has failed since: nothing of it may commit. */
  readonly isBroken: boolean;
}

interface Entry {
  readonly context: ProcessContext;
  readonly ended: Deferred<Completion>;
}

export class Batch {
  readonly #engine: Engine;
  readonly #process: BatchProcess;
  readonly #controller = new AbortController();
  readonly #entries: Entry[] = [];
  readonly #awaited = new Set<Attempt>();
  #attempts: readonly Attempt[];
  #completed = new Set<Attempt>();
  #isCompleteCalled = false;
  #isBroken = false;
  #opening: Promise<HeldTransaction> | null = null;
  #transaction: HeldTransaction | null = null;
  /** User code inside the transaction. */
  #inside: Promise<unknown> | null = null;

  constructor(engine: Engine, attempts: readonly Attempt[], process: BatchProcess) {
    this.#engine = engine;
    this.#attempts = attempts;
    this.#process = process;
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  get isInTransaction(): boolean {
    return this.#opening !== null;
  }

  /** An attempt that has not begun is handed back. */
  remove(removed: readonly Attempt[]): void {
    this.#attempts = this.#attempts.filter((attempt) => !removed.includes(attempt));
  }

  /** Never rejects. */
  async run(): Promise<BatchResult> {
    for (const attempt of this.#attempts) this.#awaited.add(attempt);
    const outcomes = await Promise.all(
      this.#attempts.map((attempt) =>
        processAttempt(this.#engine, attempt, (outcome) => {
          this.#arrived(attempt);
          return outcome;
        }),
      ),
    );
    const transaction = await this.#leaveTransaction();
    outcomes.forEach((outcome, index) => {
      const attempt = this.#attempts[index];
      const isUndone = attempt !== undefined && this.#completed.has(attempt);
      if (isUndone && outcome.kind === "threw") this.#isBroken = true;
    });
    return { outcomes, transaction, isBroken: this.#isBroken };
  }

  /** The process function of one attempt: it ends with the handler's outcome for its job. */
  enter(context: ProcessContext): Promise<Completion> {
    const entry = { context, ended: createDeferred<Completion>() };
    this.#entries.push(entry);
    this.#arrived(context.attempt);
    return markHandled(entry.ended.promise);
  }

  /** A signal of one of the attempts is aborted. That of the handler is aborted with the last of them. */
  aborted(reason: JobAbortReason): void {
    const isLast = this.#attempts.every(
      ({ abortReason, isOver }) => isOver || abortReason !== null,
    );
    if (isLast) this.#controller.abort(reason);
  }

  #arrived(attempt: Attempt): void {
    if (!this.#awaited.delete(attempt) || this.#awaited.size > 0) return;
    if (this.#entries.length > 0) void this.#callHandler();
  }

  /** Never rejects. */
  async #callHandler(): Promise<void> {
    try {
      const token = await this.#process({
        jobs: this.#entries.map(({ context }) => context.job),
        signal: this.#controller.signal,
        complete: (outcomes) => this.#complete(outcomes),
      });
      this.#assertOwn(token);
      for (const [index, { context, ended }] of this.#entries.entries()) {
        const item = token.items[index];
        if (item?.kind === "completion") {
          this.#completed.add(context.attempt);
          ended.resolve(
            new CompletionToken(context.attempt, item.outcome) as unknown as Completion,
          );
        } else ended.reject(item?.error);
      }
    } catch (error) {
      this.#isBroken = true;
      for (const { ended } of this.#entries) ended.reject(error);
    }
  }

  #assertOwn(token: unknown): asserts token is BatchToken {
    if (token instanceof BatchToken && token.batch === this) return;
    const typeName = this.#attempts[0]?.job.typeName;
    throw new ProcessMisuseError(
      `The process function of "${typeName}" must return the result of complete`,
    );
  }

  #complete(outcomes: unknown): Promise<BatchToken> {
    try {
      if (this.#isCompleteCalled) throw new ProcessMisuseError("Complete can only be called once");
      this.#assertNotOver();
      this.#isCompleteCalled = true;
    } catch (error) {
      return markHandled(Promise.reject(error as Error));
    }
    return markHandled(
      typeof outcomes === "function"
        ? this.#completeInTransaction(outcomes as (context: object) => unknown)
        : runInLayers(this.#layers(undefined), () => this.#toToken(outcomes, null)),
    );
  }

  /** The middleware of each job, around the one call. */
  #layers(transaction: object | undefined): readonly Layer[] {
    return this.#entries.flatMap(({ context }) =>
      toLayers(context.attempt.processor.aroundComplete, context.about, transaction),
    );
  }

  /** Refuses a handler that goes on although all of its attempts have ended. */
  #assertNotOver(): void {
    const [first] = this.#entries;
    const isOver = this.#entries.every(
      ({ context: { attempt } }) => attempt.isOver || attempt.isLost,
    );
    if (isOver && first !== undefined) assertNotOver(first.context.attempt);
  }

  async #toToken(outcomes: unknown, transaction: HeldTransaction | null): Promise<BatchToken> {
    if (!Array.isArray(outcomes)) {
      throw new InvalidOptionError("complete", outcomes, "give an array, one outcome for each job");
    }
    const attempts = this.#entries.map(({ context }) => context.attempt);
    const inTransaction = transaction && {
      transaction,
      continueWith: (attempt: Attempt, options: object): Promise<CompletionOutcome> =>
        this.#continueInside(transaction, attempt, options),
    };
    const items = await toBatchItems(this.#engine, attempts, outcomes, inTransaction);
    // The writes for this job cannot be taken out of the transaction.
    if (items.some((item) => item.kind === "threw" && !item.isDeclared)) this.#isBroken = true;
    return new BatchToken(this, items);
  }

  async #continueInside(
    { context, effects, call }: HeldTransaction,
    attempt: Attempt,
    options: object,
  ): Promise<CompletionOutcome> {
    const traceContext = attempt.span?.traceContext() ?? attempt.job.traceContext;
    const { continueWith } = createContinueWith(
      this.#engine,
      context,
      attempt.job,
      effects,
      traceContext,
    );
    return (await call("continueWith", () => continueWith(options as never))).outcome;
  }

  #completeInTransaction(callback: (context: object) => unknown): Promise<BatchToken> {
    const [first] = this.#entries;
    const run = async (): Promise<BatchToken> => {
      this.#opening = openHeldTransaction(this.#engine);
      const transaction = (this.#transaction = await this.#opening);
      this.#assertNotOver();
      const outcomes = await this.#engine.nesting.run(async () =>
        runInLayers(this.#layers(transaction.context), () => callback({ ...transaction.context })),
      );
      return this.#toToken(outcomes, transaction);
    };
    this.#inside =
      first === undefined
        ? run()
        : observeStep(
            this.#engine,
            () => ({
              kind: "complete",
              job: first.context.attempt.data,
              attempt: first.context.attempt.span,
            }),
            run,
          );
    this.#inside.catch(() => {
      this.#isBroken = true;
    });
    return this.#inside as Promise<BatchToken>;
  }

  /** Resolves when no user code is inside the transaction. A transaction without completions is rolled back. */
  async #leaveTransaction(): Promise<HeldTransaction | null> {
    await this.#inside?.catch(() => undefined);
    const transaction = this.#transaction;
    if (transaction === null) return null;
    await transaction.leave();
    return transaction;
  }
}
