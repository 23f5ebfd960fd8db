import type { RetryPolicy } from "../../model/backoff.ts";
import type { Completion } from "../../public-types/process.ts";
import type { MiddlewareContext } from "../../public-types/worker.ts";
import type { ProcessContext } from "./process-attempt.ts";

/** Runs one attempt's user code, middleware and all. */
export type Process = (context: ProcessContext) => Promise<Completion>;

/** One middleware, types aside. */
export type Middleware = (
  context: MiddlewareContext,
  next: () => Promise<Completion>,
) => Promise<Completion>;

/** How a worker treats one job type: every option checked, every default filled in. */
export interface Processor {
  readonly typeName: string;
  readonly process: Process;
  readonly middleware: readonly Middleware[];
  readonly retryPolicy: RetryPolicy;
  readonly leaseMs: number;
  readonly renewIntervalMs: number;
  readonly timeoutMs: number | null;
  /** Null: only the worker's own concurrency bounds it. */
  readonly concurrency: number | null;
}
