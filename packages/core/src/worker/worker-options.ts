import { hostname } from "node:os";
import { defaults, limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { type Retention, toRetention } from "../lifecycle/delete-finished.ts";
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
  "waitForStore",
  "retention",
];

/** The options of a worker: checked, and with every default filled in. */
export interface WorkerOptions {
  readonly workerId: string;
  /** The user gave the name: an earlier process may have had it. */
  readonly isNamed: boolean;
  readonly concurrency: number;
  readonly pollIntervalMs: number;
  readonly prefetch: number;
  readonly reapIntervalMs: number;
  readonly shutdownGraceMs: number;
  readonly shutdownTimeoutMs: number;
  readonly waitForStore: boolean;
  /** Null: no job is deleted. */
  readonly retention: (Retention & { readonly intervalMs: number }) | null;
}

/** The options as the user gives them. */
export type GivenWorkerOptions = Partial<
  Omit<
    { readonly [TKey in keyof WorkerOptions]: WorkerOptions[TKey] | undefined },
    "retention" | "isNamed"
  >
> & {
  readonly retention?:
    { readonly [TKey in keyof Retention | "intervalMs"]?: number | null | undefined } | undefined;
};

/** Checks the user's options. */
export const toWorkerOptions = (
  given: GivenWorkerOptions,
  hasNotifyAdapter: boolean,
): WorkerOptions => {
  assertObject(given, "options");
  assertKnownOptions(given, optionNames);
  const {
    workerId = `${hostname()}-${process.pid}-${crypto.randomUUID().slice(0, 8)}`.slice(
      -limits.nameLengthMax,
    ),
    concurrency = defaults.concurrency,
    pollIntervalMs = hasNotifyAdapter ? defaults.pollIntervalWithNotifyMs : defaults.pollIntervalMs,
    reapIntervalMs = defaults.reapIntervalMs,
    shutdownTimeoutMs = defaults.shutdownTimeoutMs,
    waitForStore = false,
  } = given;
  assertName(workerId, "workerId");
  assertInteger(concurrency, "concurrency", { min: 1, max: limits.concurrencyMax });
  assertPositiveMs(pollIntervalMs, "pollIntervalMs");
  assertDurationMs(shutdownTimeoutMs, "shutdownTimeoutMs");
  if (typeof waitForStore !== "boolean") {
    throw new InvalidOptionError("waitForStore", waitForStore, "give true or false");
  }
  // Checked before the others are derived from them: `Math.max` throws at a symbol.
  const {
    prefetch = limits.prefetchMax,
    shutdownGraceMs = Math.min(defaults.shutdownGraceMs, shutdownTimeoutMs),
  } = given;
  assertInteger(prefetch, "prefetch", { min: 0, max: limits.concurrencyMax });
  assertPositiveMs(reapIntervalMs, "reapIntervalMs");
  assertDurationMs(shutdownGraceMs, "shutdownGraceMs");
  return {
    workerId,
    isNamed: given.workerId !== undefined,
    concurrency,
    pollIntervalMs,
    prefetch,
    reapIntervalMs,
    shutdownGraceMs,
    shutdownTimeoutMs,
    waitForStore,
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
