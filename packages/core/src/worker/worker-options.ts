import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { defaults, limits } from "../defaults.ts";
import { type Retention, toRetention } from "../lifecycle/sweep-finished.ts";
import {
  assertInteger,
  assertName,
  assertObject,
  assertPositiveMs,
  assertDurationMs,
} from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";

const optionNames = [
  "workerId",
  "concurrency",
  "pollIntervalMs",
  "prefetch",
  "reapIntervalMs",
  "shutdownGraceMs",
  "shutdownTimeoutMs",
  "retention",
];

/** What a worker is started with: checked, and with every default filled in. */
export interface WorkerOptions {
  readonly workerId: string;
  readonly concurrency: number;
  readonly pollIntervalMs: number;
  readonly prefetch: number;
  readonly reapIntervalMs: number;
  readonly shutdownGraceMs: number;
  readonly shutdownTimeoutMs: number;
  /** Null: nothing is deleted. */
  readonly retention: (Retention & { readonly intervalMs: number }) | null;
}

/** What the user gives: everything may be left out. */
export type GivenWorkerOptions = Partial<
  Omit<{ readonly [TKey in keyof WorkerOptions]: WorkerOptions[TKey] | undefined }, "retention">
> & {
  readonly retention?: (Partial<Retention> & { readonly intervalMs?: number }) | undefined;
};

/** Checks the user's options. */
export const toWorkerOptions = (
  given: GivenWorkerOptions,
  hasNotifyAdapter: boolean,
): WorkerOptions => {
  assertObject(given, "options");
  assertKnownOptions(given, optionNames);
  const {
    workerId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`.slice(
      -limits.nameLengthMax,
    ),
    concurrency = defaults.concurrency,
    pollIntervalMs = hasNotifyAdapter ? defaults.pollIntervalWithNotifyMs : defaults.pollIntervalMs,
    reapIntervalMs = defaults.reapIntervalMs,
    shutdownTimeoutMs = defaults.shutdownTimeoutMs,
  } = given;
  assertName(workerId, "workerId");
  assertInteger(concurrency, "concurrency", { min: 1, max: limits.concurrencyMax });
  assertPositiveMs(pollIntervalMs, "pollIntervalMs");
  assertDurationMs(shutdownTimeoutMs, "shutdownTimeoutMs");
  // Only after what they are derived from is known to be a number: `Math.max` throws at a symbol.
  const {
    prefetch = Math.max(concurrency, 10),
    shutdownGraceMs = Math.min(defaults.shutdownGraceMs, shutdownTimeoutMs),
  } = given;
  assertInteger(prefetch, "prefetch", { min: 0, max: limits.concurrencyMax });
  assertPositiveMs(reapIntervalMs, "reapIntervalMs");
  assertDurationMs(shutdownGraceMs, "shutdownGraceMs");
  return {
    workerId,
    concurrency,
    pollIntervalMs,
    prefetch,
    reapIntervalMs,
    shutdownGraceMs,
    shutdownTimeoutMs,
    retention: given.retention === undefined ? null : toWorkerRetention(given.retention),
  };
};

const toWorkerRetention = (
  given: NonNullable<GivenWorkerOptions["retention"]>,
): NonNullable<WorkerOptions["retention"]> => {
  const retention = toRetention(given, "retention");
  const { intervalMs = defaults.retentionIntervalMs } = given;
  assertPositiveMs(intervalMs, "retention.intervalMs");
  return { ...retention, intervalMs };
};
