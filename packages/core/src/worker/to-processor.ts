import { defaults, limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import type { Middleware, Process, Processor } from "../lifecycle/process-job/processor.ts";
import {
  assertInteger,
  assertName,
  assertObject,
  assertPositiveMs,
} from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { type RetryConfig, toRetryPolicy } from "../model/backoff.ts";

/** The options of `implementJobType`, types aside. */
export interface ImplementOptions {
  readonly typeName: string;
  readonly process: Process;
  readonly retryConfig?: RetryConfig | undefined;
  readonly leaseConfig?:
    | { readonly leaseMs?: number | undefined; readonly renewIntervalMs?: number | undefined }
    | undefined;
  readonly timeoutMs?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
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
  options: ImplementOptions,
  workerMiddleware: readonly Middleware[],
): Processor => {
  assertObject(options, "options");
  assertKnownOptions(options, optionNames);
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
    process,
    middleware: [...workerMiddleware, ...middleware],
    retryPolicy: toRetryPolicy(options.retryConfig),
    ...toLease(options.leaseConfig),
    timeoutMs: timeoutMs ?? null,
    concurrency: concurrency ?? null,
  };
};

/** A middleware is a function; anything else would only fail with the first job. */
export const assertMiddleware = (middleware: unknown): void => {
  if (typeof middleware !== "function") {
    throw new InvalidOptionError("middleware", middleware, "give a function");
  }
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
