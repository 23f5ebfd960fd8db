import { defaults, limits } from "../defaults.ts";
import { InvalidOptionError, ProcessMisuseError } from "../errors.ts";
import type { BatchProcess } from "../lifecycle/process-job/batch.ts";
import type {
  BatchSettings,
  GivenMiddleware,
  Process,
  Processor,
} from "../lifecycle/process-job/processor.ts";
import {
  assertDurationMs,
  assertFunction,
  assertInteger,
  assertName,
  assertObject,
  assertPositiveMs,
} from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { type RetryConfig, toRetryPolicy } from "../model/backoff.ts";

/** The options of `implementJobType`, types aside. */
export interface ImplementOptions extends HandlerOptions {
  readonly process: Process;
}

/** The options of `implementJobTypeBatch`, types aside. */
export interface ImplementBatchOptions extends HandlerOptions {
  readonly process: BatchProcess;
  readonly batch: {
    readonly maxSize: number;
    readonly minSize?: number | undefined;
    readonly perKey?: boolean | undefined;
    readonly maxWaitMs?: number | undefined;
  };
}

/** One implemented job type. */
export type Implementation = ImplementOptions | ImplementBatchOptions;

interface HandlerOptions {
  readonly typeName: string;
  readonly retryConfig?: RetryConfig | undefined;
  readonly leaseConfig?:
    | { readonly leaseMs?: number | undefined; readonly renewIntervalMs?: number | undefined }
    | undefined;
  readonly timeoutMs?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly middleware?: readonly GivenMiddleware[] | undefined;
}

const optionNames = [
  "typeName",
  "process",
  "retryConfig",
  "leaseConfig",
  "timeoutMs",
  "concurrency",
  "middleware",
];

/** Checks the user's options. The worker's middleware goes around that of the type. */
export const toProcessor = (
  options: Implementation,
  workerMiddleware: readonly GivenMiddleware[],
): Processor => {
  assertObject(options, "options");
  const isBatch = "batch" in options;
  assertKnownOptions(options, isBatch ? [...optionNames, "batch"] : optionNames);
  const { typeName, process, timeoutMs, concurrency, middleware = [] } = options;
  assertName(typeName, "typeName");
  if (typeof process !== "function") {
    throw new InvalidOptionError("process", process, "give a function");
  }
  if (timeoutMs !== undefined) assertPositiveMs(timeoutMs, "timeoutMs");
  if (concurrency !== undefined) {
    assertInteger(concurrency, "concurrency", { min: 1, max: limits.concurrencyMax });
  }
  if (!Array.isArray(middleware)) {
    throw new InvalidOptionError("middleware", middleware, "give an array of functions");
  }
  for (const one of middleware) assertMiddleware(one);
  return {
    typeName,
    process: isBatch ? enterBatch : (process as Process),
    batch: isBatch ? toBatchSettings(options) : null,
    ...toParts([...workerMiddleware, ...middleware]),
    retryPolicy: toRetryPolicy(options.retryConfig),
    ...toLease(options.leaseConfig),
    timeoutMs: timeoutMs ?? null,
    concurrency: concurrency ?? null,
  };
};

const enterBatch: Process = (context) => {
  const { batch } = context.attempt;
  if (batch === null) throw new ProcessMisuseError("the attempt belongs to no batch");
  return batch.enter(context);
};

const toBatchSettings = ({ batch, process }: ImplementBatchOptions): BatchSettings => {
  assertObject(batch, "batch");
  assertKnownOptions(batch, ["maxSize", "minSize", "maxWaitMs", "perKey"], "batch.");
  const { maxSize, minSize = 1, maxWaitMs = defaults.batchMaxWaitMs, perKey = false } = batch;
  assertInteger(maxSize, "batch.maxSize", { min: 1, max: limits.batchSizeMax });
  assertInteger(minSize, "batch.minSize", { min: 1, max: maxSize });
  assertDurationMs(maxWaitMs, "batch.maxWaitMs");
  if (typeof perKey !== "boolean") {
    throw new InvalidOptionError("batch.perKey", perKey, "give true or false");
  }
  return { maxSize, minSize, maxWaitMs, perKey, process };
};

const partNames = ["process", "prepare", "complete"] as const;

/** A middleware is a function, or an object of functions; anything else would only fail with the first job. */
export const assertMiddleware = (middleware: unknown): void => {
  if (typeof middleware === "function") return;
  if (typeof middleware !== "object" || middleware === null) {
    const remedy = "give a function, or an object with `process`, `prepare` or `complete`";
    throw new InvalidOptionError("middleware", middleware, remedy);
  }
  assertKnownOptions(middleware, partNames, "middleware.");
  const parts = middleware as Readonly<Record<string, unknown>>;
  for (const name of partNames) {
    if (parts[name] !== undefined) assertFunction(parts[name], `middleware.${name}`);
  }
};

const toParts = (
  given: readonly GivenMiddleware[],
): Pick<Processor, "middleware" | "aroundPrepare" | "aroundComplete"> => {
  const parts = given.map((one) => (typeof one === "function" ? { process: one } : one));
  return {
    middleware: parts.flatMap(({ process = [] }) => process),
    aroundPrepare: parts.flatMap(({ prepare = [] }) => prepare),
    aroundComplete: parts.flatMap(({ complete = [] }) => complete),
  };
};

const toLease = (
  config: ImplementOptions["leaseConfig"] = {},
): { readonly leaseMs: number; readonly renewIntervalMs: number } => {
  assertObject(config, "leaseConfig");
  assertKnownOptions(config, ["leaseMs", "renewIntervalMs"], "leaseConfig.");
  const { leaseMs = defaults.leaseMs } = config;
  assertPositiveMs(leaseMs, "leaseConfig.leaseMs");
  // Left out, it keeps its proportion to the lease.
  const { renewIntervalMs = leaseMs * (defaults.leaseRenewIntervalMs / defaults.leaseMs) } = config;
  assertPositiveMs(renewIntervalMs, "leaseConfig.renewIntervalMs");
  if (renewIntervalMs >= leaseMs) {
    const remedy = "give less than `leaseMs`, or the lease expires before it is renewed";
    throw new InvalidOptionError("leaseConfig.renewIntervalMs", renewIntervalMs, remedy);
  }
  return { leaseMs, renewIntervalMs };
};
