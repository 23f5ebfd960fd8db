// The engine: the wired adapters, and everything that the walk runs on. Generic-free: payloads are unknown, ids are strings.
// Each adapter reports its own failures, and a missing one gets its default.
import {
  createStoreNotifyAdapter,
  wrapNotifyAdapterWithLogging,
  wrapStateAdapterWithLogging,
} from "./adapter-kit/wrap-adapters.ts";
import type { NotifyAdapter } from "./adapters/notify-adapter.ts";
import type { ObservabilityAdapter } from "./adapters/observability-adapter.ts";
import type { AnyStateAdapter } from "./adapters/state-adapter.ts";
import {
  type ContextKeys,
  createContextKeys,
  createEffectRouter,
  createNestedTransactionGuard,
  createOpenTransactions,
  type EffectRouter,
  type NestedTransactionGuard,
  type Notifier,
  type OpenTransactions,
} from "./after-commit/open-transactions.ts";

import { createUnconfirmedCommits } from "./after-commit/unconfirmed-commits.ts";
import { type Clock, systemClock } from "./async/clock.ts";
import { settleOrTimeout } from "./async/time-limit.ts";
import { defaults, limits } from "./defaults.ts";
import { InvalidOptionError } from "./errors.ts";
import { createNoopNotifyAdapter } from "./in-process/create-noop-notify-adapter.ts";
import { createRegistry, type Registry } from "./job-types/registry.ts";
import type { JobTypes } from "./job-types/define-job-types.ts";
import { ImplementedTypes } from "./lifecycle/implemented-types.ts";
import { JobTypeLimits } from "./lifecycle/job-type-limits.ts";
import {
  createLocalListeners,
  type LocalListeners,
  RemoteWaiters,
} from "./lifecycle/local-listeners.ts";
import {
  assertAttemptLogsOptions,
  createLogWriter,
  type LogWriter,
} from "./lifecycle/log-writer.ts";
import { OwnLeases } from "./lifecycle/own-leases.ts";

import { SequencePoller } from "./lifecycle/await-sequence.ts";
import { assertFunction, assertInteger, assertObject } from "./model/assert-option.ts";
import type { PayloadCodec } from "./model/payload.ts";
import { createConsoleLog } from "./observe/console-log.ts";
import type { Log } from "./observe/log.ts";
import { assertPayloadsOptions, type PayloadsOptions } from "./payloads/payloads-options.ts";
import type { AttemptLogsOptions } from "./public-types/attempt-log.ts";
import { withTransforms } from "./payloads/with-transforms.ts";
import { createObserver, type Observer } from "./observe/observer.ts";
import { hearVersions, readVersions, toVersions } from "./versioning/read-versions.ts";
import { Statistics } from "./observe/statistics.ts";
import { createScheduleChanges, type ScheduleChanges } from "./schedules/schedule-changes.ts";

export interface Engine {
  readonly state: AnyStateAdapter;
  readonly notify: NotifyAdapter;
  /** Workers and waiters of this process, notified with or without the notify adapter. */
  readonly local: LocalListeners;
  /** Whether the user gave a notify adapter: without one, other processes are only found by polling. */
  readonly hasNotifyAdapter: boolean;
  readonly registry: Registry;
  readonly implementedTypes: ImplementedTypes;
  readonly jobTypeLimits: JobTypeLimits;
  readonly ownLeases: OwnLeases;
  /** Writes and reads payloads. Null: they are plain JSON. */
  readonly codec: PayloadCodec | null;
  /** The most bytes of an input or an output. */
  readonly payloadBytesMax: number;
  /** Workers report to the store, for operators. */
  readonly reportsWorkers: boolean;
  /** Counts of attempts for operators, until the next report. Null: the store keeps none. */
  readonly statistics: Statistics | null;
  /** Stores lines and progress of attempts. Null: they are not kept. */
  readonly logWriter: LogWriter | null;
  readonly observer: Observer;
  readonly notifier: Notifier;
  readonly effects: EffectRouter;
  readonly transactions: OpenTransactions;
  readonly contextKeys: ContextKeys;
  readonly nesting: NestedTransactionGuard;
  readonly sequencePoller: SequencePoller;
  readonly remoteWaiters: RemoteWaiters;
  readonly scheduleChanges: ScheduleChanges;
  /** How long ticks of schedules are kept. */
  readonly ticksForMs: number;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Closes the timers and adapters of the engine itself. Adapters that were given stay open. */
  readonly close: () => Promise<void>;
}

export interface EngineOptions {
  readonly stateAdapter: AnyStateAdapter;
  readonly jobTypes: Pick<JobTypes<unknown>, "catalogue" | "isCoded">;
  readonly notifyAdapter?: NotifyAdapter | undefined;
  readonly observabilityAdapter?: ObservabilityAdapter | undefined;
  readonly log?: Log | undefined;
  readonly payloadBytesMax?: number | undefined;
  readonly payloads?: PayloadsOptions | undefined;
  readonly workerRegistry?: boolean | undefined;
  readonly ticksForMs?: number | undefined;
  readonly attemptLogs?: AttemptLogsOptions | undefined;
  /** The option `limits.jobTypes`. */
  readonly jobTypeLimits?: unknown;
}

/** Where time and chance enter. */
export interface EngineSeams {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Stands between the engine and its notifications, as a test does that loses them. */
  readonly wrapNotifier?: ((notifier: Notifier) => Notifier) | undefined;
}

/** How long closing waits for the last notifications. */
const closePatienceMs = 1_000;

export const createEngine = (options: EngineOptions, seams: EngineSeams): Engine => {
  assertOptions(options);
  const { clock = systemClock, random = Math.random } = seams;
  const { log = createConsoleLog({ minimumLevel: "warn" }), observabilityAdapter = {} } = options;
  const observer = createObserver(log, observabilityAdapter);
  const versions = toVersions(options.jobTypes.catalogue);
  const stored = wrapStateAdapterWithLogging(options.stateAdapter, (operation, error) =>
    observer.emit("stateAdapterError", () => ({ operation, error })),
  );
  const { codec = null, transforms = [] } = options.payloads ?? {};
  const plain = transforms.length === 0 ? stored : withTransforms(stored, transforms);
  const state = readVersions(plain, versions, codec);
  const sent = wrapNotifyAdapterWithLogging(
    // The workers and waiters of this process are notified without one.
    createStoreNotifyAdapter(
      options.notifyAdapter ?? createNoopNotifyAdapter(),
      () => options.stateAdapter.getStoreId(),
      (error) => observer.emit("notifyAdapterError", () => ({ operation: "receive", error })),
    ),
    (operation, error) => observer.emit("notifyAdapterError", () => ({ operation, error })),
  );
  const notify = hearVersions(sent, versions);
  const unconfirmed = createUnconfirmedCommits(state, clock);
  const logWriter = createLogWriter(state, observer, clock, options.attemptLogs ?? {});
  const contextKeys = createContextKeys(state.capabilities);
  const transactions = createOpenTransactions(contextKeys);
  const sequencePoller = new SequencePoller(state, clock);
  const remoteWaiters = new RemoteWaiters(notify, clock);
  const local = createLocalListeners(notify, sequencePoller, remoteWaiters);
  const notifier = seams.wrapNotifier?.(local.notifier) ?? local.notifier;
  return {
    state,
    notify,
    local,
    // A store in the memory of this process has no other processes to poll for.
    hasNotifyAdapter:
      options.notifyAdapter !== undefined || !state.capabilities.sharedBetweenProcesses,
    registry: createRegistry(options.jobTypes),
    implementedTypes: new ImplementedTypes(observer, options.jobTypes.catalogue !== undefined),
    jobTypeLimits: new JobTypeLimits(options.jobTypeLimits, codec),
    ownLeases: new OwnLeases(),
    codec,
    payloadBytesMax: options.payloadBytesMax ?? defaults.payloadBytesMax,
    reportsWorkers: options.workerRegistry ?? true,
    statistics:
      (options.workerRegistry ?? true) && state.operator?.recordMetrics !== undefined
        ? new Statistics()
        : null,
    logWriter,
    observer,
    notifier,
    effects: createEffectRouter(observer, notifier, transactions, unconfirmed),
    transactions,
    contextKeys,
    nesting: createNestedTransactionGuard(state.capabilities),
    sequencePoller,
    remoteWaiters,
    scheduleChanges: createScheduleChanges(clock),
    ticksForMs: options.ticksForMs ?? defaults.ticksForMs,
    clock,
    random,
    close: async () => {
      unconfirmed.close();
      logWriter?.close();
      sequencePoller.close();
      // A server that does not respond must not keep the client open.
      await settleOrTimeout(clock, notifier.settled(), closePatienceMs);
      // A notify adapter that was given belongs to the user.
      if (options.notifyAdapter === undefined) await notify.close();
    },
  };
};

const assertOptions = (options: EngineOptions): void => {
  const { stateAdapter, jobTypes, notifyAdapter, observabilityAdapter, log } = options;
  const { payloadBytesMax = defaults.payloadBytesMax } = options;
  assertPayloadsOptions(options.payloads, jobTypes?.isCoded === true);
  assertAttemptLogsOptions(options.attemptLogs);
  const isAdapter =
    typeof (stateAdapter as Partial<AnyStateAdapter> | null)?.createJobs === "function";
  if (!isAdapter) {
    const remedy = "give a state adapter, such as `createInProcessStateAdapter()` makes";
    throw new InvalidOptionError("stateAdapter", stateAdapter, remedy);
  }
  const { catalogue } = (jobTypes ?? {}) as Partial<JobTypes<unknown>>;
  const isCatalogue =
    catalogue === undefined || (typeof catalogue === "object" && catalogue !== null);
  if (typeof jobTypes !== "object" || jobTypes === null || !isCatalogue) {
    throw new InvalidOptionError(
      "jobTypeDefinitions",
      jobTypes,
      "give the result of `defineUnionJobTypes`",
    );
  }
  const isNotifyAdapter =
    typeof (notifyAdapter as Partial<NotifyAdapter> | null)?.notifyJobScheduled === "function";
  if (notifyAdapter !== undefined && !isNotifyAdapter) {
    const remedy = "give a notify adapter, or leave it out";
    throw new InvalidOptionError("notifyAdapter", notifyAdapter, remedy);
  }
  if (observabilityAdapter !== undefined) {
    assertObject(observabilityAdapter, "observabilityAdapter");
  }
  if (log !== undefined) assertFunction(log, "log");
  const { workerRegistry } = options;
  if (workerRegistry !== undefined && typeof workerRegistry !== "boolean") {
    throw new InvalidOptionError("workerRegistry", workerRegistry, "give true or false");
  }
  assertInteger(payloadBytesMax, "payloadBytesMax", { min: 1, max: limits.payloadBytesMax });
};
