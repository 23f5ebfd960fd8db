import type { RetryPolicy } from "../../model/backoff.ts";
import type { Completion } from "../../public-types/process.ts";
import type {
  MiddlewareContext,
  TransactionMiddleware,
  WorkerMiddlewareParts,
} from "../../public-types/worker.ts";
import type { BatchProcess } from "./batch.ts";
import type { ProcessContext } from "./process-attempt.ts";

/** Runs one attempt's user code, middleware and all. */
export type Process = (context: ProcessContext) => Promise<Completion>;

/** One middleware, types aside. */
export type Middleware = (
  context: MiddlewareContext,
  next: () => Promise<Completion>,
) => Promise<Completion>;

/** As users give it. */
export type GivenMiddleware = Middleware | WorkerMiddlewareParts<object>;

/** How jobs are processed together: every default filled in. */
export interface BatchSettings {
  readonly maxSize: number;
  readonly minSize: number;
  readonly maxWaitMs: number;
  readonly perKey: boolean;
  readonly process: BatchProcess;
}

/** How a worker treats one job type: every option checked, every default filled in. */
export interface Processor {
  readonly typeName: string;
  /** In a batch: it waits for the handler, which is called once. */
  readonly process: Process;
  /** Null: each job is processed alone. */
  readonly batch: BatchSettings | null;
  readonly middleware: readonly Middleware[];
  /** Around the callback of `prepare`, the outermost first. */
  readonly aroundPrepare: readonly TransactionMiddleware<object>[];
  /** Around the callback of `complete`, or its value. */
  readonly aroundComplete: readonly TransactionMiddleware<object>[];
  readonly retryPolicy: RetryPolicy;
  readonly leaseMs: number;
  readonly renewIntervalMs: number;
  readonly timeoutMs: number | null;
  /** Null: only the worker's own concurrency bounds it. A batch counts once. */
  readonly concurrency: number | null;
}
