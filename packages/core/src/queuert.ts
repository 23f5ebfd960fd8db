// createQueuert makes an engine of the options, and a typed client of the engine. The engine handles unknown payloads and plain
// ids. The compiler checks them at the client, whose one cast is at the end of this file.
import type { NotifyAdapter } from "./adapters/notify-adapter.ts";
import type { ObservabilityAdapter } from "./adapters/observability-adapter.ts";
import type {
  AnyStateAdapter,
  BaseStateAdapterContext,
  StateAdapter,
} from "./adapters/state-adapter.ts";
import { rememberEngine } from "./client-engine.ts";
import { createEngine, type EngineSeams } from "./engine.ts";
import { createFacade, loadLateCalls } from "./facade.ts";

import type { JobTypes } from "./job-types/define-job-types.ts";
import { assertObject } from "./model/assert-option.ts";
import { assertKnownOptions } from "./model/assert-known-options.ts";
import type { PayloadsOptions } from "./payloads/payloads-options.ts";
import { assertLimitsOptions } from "./lifecycle/job-type-limits.ts";
import type { Log } from "./observe/log.ts";
import type { AttemptLogsOptions } from "./public-types/attempt-log.ts";
import type { LimitsOptions } from "./public-types/limits.ts";
import type { SchedulesOptions } from "./public-types/schedules.ts";
import { assertSchedulesOptions } from "./schedules/define-schedules.ts";
import type { Queuert } from "./queuert-types.ts";

/** The options of `createQueuert`. */
export interface QueuertOptions<TDefinitions, TStateAdapter> {
  /** Where jobs are stored. */
  readonly stateAdapter: TStateAdapter;
  /** The result of `defineUnionJobTypes`. */
  readonly jobTypeDefinitions: JobTypes<TDefinitions>;
  /** Notifies other processes. Default: none, so they poll every second. */
  readonly notifyAdapter?: NotifyAdapter | undefined;
  /** Receives every event, for metrics and traces. Default: none. */
  readonly observabilityAdapter?: ObservabilityAdapter | undefined;
  /** Receives log events. Default: warnings and errors go to the console. */
  readonly log?: Log | undefined;
  /** The most bytes of an input or an output, as JSON in UTF-8. Default: 1 MiB; at most 16 MiB. */
  readonly payloadBytesMax?: number | undefined;
  /** How payloads are written to the store: compressed, encrypted, or kept elsewhere. Default: as JSON. */
  readonly payloads?: PayloadsOptions | undefined;
  /** Whether workers report to the store every 10 to 30 s, for operators and `explain`. Default: true. */
  readonly workerRegistry?: boolean | undefined;
  /** Which lines and progress of attempts are kept, for operators. Default: from `"info"` on, of attempts that failed or run. */
  readonly attemptLogs?: AttemptLogsOptions | undefined;
  /** Schedules that are declared in code, and how their ticks are kept. Default: none. */
  readonly schedules?: SchedulesOptions<NoInfer<TDefinitions>> | undefined;
  /** Limits of job types that are declared in code. Default: none. */
  readonly limits?: LimitsOptions<NoInfer<TDefinitions>> | undefined;
}

/**
 * Creates a client of the jobs in one store.
 *
 * @example
 * ```ts
 * const queuert = await createQueuert({
 *   stateAdapter: createInProcessStateAdapter(), // or PostgreSQL, SQLite, MongoDB
 *   jobTypeDefinitions: defineUnionJobTypes<{ greet: { input: string; output: null } }>(),
 * });
 * await queuert.startJobSequence({ autocommit: true, typeName: "greet", input: "Ada" });
 * ```
 */
export const createQueuert = async <
  TDefinitions,
  // The client takes its types from the adapter. Every adapter is accepted.
  TStateAdapter extends AnyAdapter,
>(
  options: QueuertOptions<TDefinitions, TStateAdapter>,
): Promise<Queuert<TDefinitions, TStateAdapter>> => createQueuertWith(options, {});

const optionNames = [
  "stateAdapter",
  "jobTypeDefinitions",
  "notifyAdapter",
  "observabilityAdapter",
  "log",
  "payloadBytesMax",
  "payloads",
  "workerRegistry",
  "attemptLogs",
  "schedules",
  "limits",
];

/** Adapters of any context and id type: methods are compared bivariantly, so the widest contexts admit all. */
export type AnyAdapter = StateAdapter<BaseStateAdapterContext, BaseStateAdapterContext, string>;

/** `createQueuert` with the engine's time and chance replaced: for simulations and tests. */
export const createQueuertWith = async <TDefinitions, TStateAdapter extends AnyAdapter>(
  options: QueuertOptions<TDefinitions, TStateAdapter>,
  seams: EngineSeams,
): Promise<Queuert<TDefinitions, TStateAdapter>> => {
  assertObject(options, "options");
  assertKnownOptions(options, optionNames);
  const stateAdapter: AnyStateAdapter = options.stateAdapter;
  const { jobTypeDefinitions, schedules = {}, limits = {}, ...others } = options;
  assertSchedulesOptions(schedules);
  assertLimitsOptions(limits);
  const { ticksForMs } = schedules;
  const engine = createEngine(
    {
      ...others,
      stateAdapter,
      jobTypes: jobTypeDefinitions,
      ticksForMs,
      jobTypeLimits: limits.jobTypes,
    },
    seams,
  );
  const client = createFacade(engine);
  rememberEngine(client, engine);
  if (options.limits !== undefined || options.schedules !== undefined) {
    const late = await loadLateCalls();
    await late.declareLimits(engine, limits);
    await late.declareSchedules(engine, schedules);
  }
  // The one cast of the client: unknown payloads and plain ids become the user's types.
  return client as unknown as Queuert<TDefinitions, TStateAdapter>;
};
