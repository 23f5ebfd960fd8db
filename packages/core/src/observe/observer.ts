// Passes events to the log and the observability adapter. Nothing here may harm a job: an error of a user's log or adapter
// is caught, and reported once.
import type { JobTypeGaugeChange, QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type {
  ObservabilityAdapter,
  ObservabilitySpan,
  SpanDescription,
} from "../adapters/observability-adapter.ts";
import { escapeControls } from "../model/describe-error.ts";
import { type Guard, GuardedSpan, originalSpan, withOriginalSpans } from "./guarded-span.ts";
import { logLines } from "./log-lines.ts";
import { isLevelWanted, type Log, type LogEvent, type LogLevel } from "./log.ts";
import { RepeatedErrors } from "./repeated-errors.ts";

export interface Observer {
  /** Whether events of this type have a receiver. */
  isWanted(type: QueuertEventType): boolean;
  /** The data is made only if the type is wanted. `span`: that of the attempt it is about. */
  emit<TType extends QueuertEventType>(
    type: TType,
    data: () => QueuertEventData[TType],
    span?: ObservabilitySpan | null,
  ): void;
  /** `emit` at a later time: the trace that it belongs to is read now. Null if the type is not wanted. */
  defer<TType extends QueuertEventType>(
    type: TType,
    data: () => QueuertEventData[TType],
    span: ObservabilitySpan | null,
  ): (() => void) | null;
  /** Whether the adapter keeps gauges. Otherwise changes need not be reported. */
  readonly hasGauges: boolean;
  idleChanged(change: JobTypeGaugeChange): void;
  processingChanged(change: JobTypeGaugeChange): void;
  /** Null without tracing. */
  startSpan(description: () => SpanDescription): ObservabilitySpan | null;
}

type LogAttributes = Readonly<Record<string, string>> | undefined;

/** Joins a log and an adapter; either may be missing. Made for every event of every job: closures only where one is kept. */
export const createObserver = (log: Log | undefined, adapter: ObservabilityAdapter): Observer => {
  const logged = loggedTypes(log);
  const wanted = wantedTypes(logged, adapter);
  const guard = createGuard(log);

  const logAttributes = (type: QueuertEventType, span: ObservabilitySpan | null): LogAttributes => {
    if (adapter.logAttributes === undefined || !logged.has(type)) return undefined;
    try {
      return adapter.logAttributes(originalSpan(span));
    } catch (error) {
      guard.report(error);
      return undefined;
    }
  };

  const repeated = new RepeatedErrors();
  const tell = <TType extends QueuertEventType>(
    type: TType,
    data: QueuertEventData[TType],
    attributes: LogAttributes,
  ): void => {
    try {
      const unloggedCount = logged.has(type) ? repeated.take(type, data) : null;
      if (unloggedCount !== null) {
        guard.returned(log?.(toLogEvent(type, data, attributes, unloggedCount)));
      }
    } catch (error) {
      guard.report(error);
    }
    if (adapter[type] === undefined) return;
    try {
      guard.returned((adapter[type] as (data: QueuertEventData[typeof type]) => unknown)(data));
    } catch (error) {
      guard.report(error);
    }
  };

  return {
    isWanted: (type) => wanted.has(type),
    emit: (type, data, span = null) => {
      if (wanted.has(type)) tell(type, data(), logAttributes(type, span));
    },
    defer: (type, data, span) => {
      if (!wanted.has(type)) return null;
      const attributes = logAttributes(type, span);
      return () => tell(type, data(), attributes);
    },
    hasGauges:
      adapter.jobTypeIdleChange !== undefined || adapter.jobTypeProcessingChange !== undefined,
    idleChanged: (change) => emitGauge(adapter, "jobTypeIdleChange", change, guard),
    processingChanged: (change) => emitGauge(adapter, "jobTypeProcessingChange", change, guard),
    startSpan: (description) => {
      if (adapter.startSpan === undefined) return null;
      try {
        const started = adapter.startSpan(withOriginalSpans(description())) ?? null;
        return started === null ? null : new GuardedSpan(started, guard);
      } catch (error) {
        guard.report(error);
        return null;
      }
    },
  };
};

const emitGauge = (
  adapter: ObservabilityAdapter,
  method: "jobTypeIdleChange" | "jobTypeProcessingChange",
  change: JobTypeGaugeChange,
  guard: Guard,
): void => {
  try {
    guard.returned(adapter[method]?.(change));
  } catch (error) {
    guard.report(error);
  }
};

const toLogEvent = <TType extends QueuertEventType>(
  type: TType,
  data: QueuertEventData[TType],
  attributes: LogAttributes,
  /** How often the same has happened since it was last logged. */
  unloggedCount: number,
): LogEvent => {
  // The table pairs each type with its own data; the compiler cannot follow that through a generic index.
  const [level, sentence] = logLines[type] as unknown as readonly [
    LogLevel,
    (data: unknown) => string,
  ];
  const { error } = data as { readonly error?: unknown };
  const repeated = unloggedCount > 0 ? ` (and ${unloggedCount} times more before)` : "";
  const message = escapeControls(sentence(data)) + repeated;
  const event = { level, type, message, data: { ...data, ...attributes } };
  return error === undefined ? event : { ...event, error };
};

const eventTypes = Object.keys(logLines) as readonly QueuertEventType[];

const wantedTypes = (
  logged: ReadonlySet<QueuertEventType>,
  adapter: ObservabilityAdapter,
): ReadonlySet<QueuertEventType> =>
  new Set(eventTypes.filter((type) => adapter[type] !== undefined || logged.has(type)));

const loggedTypes = (log: Log | undefined): ReadonlySet<QueuertEventType> =>
  new Set(
    log === undefined
      ? []
      : eventTypes.filter((type) => isLevelWanted(logLines[type][0], log.minimumLevel)),
  );

/** Reports the first error of the user's code only: it would come back with every event. */
const createGuard = (log: Log | undefined): Guard => {
  let reported = false;
  const report = (error: unknown): void => {
    if (reported) return;
    reported = true;
    reportObserverError(log, error);
  };
  return {
    report,
    returned: (result) => {
      if (result instanceof Promise) result.catch(report);
    },
  };
};

const reportObserverError = (log: Log | undefined, error: unknown): void => {
  const message = "the log or the observability adapter threw; its further errors are not reported";
  // The log itself throws: only the console is left.
  const toConsole = (logError: unknown): void => console.error(`queuert ${message}`, logError);
  try {
    const logged: unknown = log?.({
      level: "error",
      type: "observerError",
      message,
      data: {},
      error,
    });
    if (logged instanceof Promise) logged.catch(toConsole);
  } catch (logError) {
    toConsole(logError);
  }
};
