// Hands what happens to the log and the observability adapter. Nothing here may harm a job: what a user's log or
// adapter throws is caught and said once.
import type { JobTypeGaugeChange, QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type {
  ObservabilityAdapter,
  ObservabilitySpan,
  SpanDescription,
} from "../adapters/observability-adapter.ts";
import { type Guard, GuardedSpan, originalSpan, withOriginalSpans } from "./guarded-span.ts";
import { logLines } from "./log-lines.ts";
import { isLevelWanted, type Log, type LogEvent, type LogLevel } from "./log.ts";

export interface Observer {
  /** Whether anybody listens to this type. */
  isWanted(type: QueuertEventType): boolean;
  /** The data is only made when somebody wants it. `span`: that of the attempt it is about. */
  emit<TType extends QueuertEventType>(
    type: TType,
    data: () => QueuertEventData[TType],
    span?: ObservabilitySpan | null,
  ): void;
  /** `emit` for what may be told later: whose trace it belongs to is asked now. Null when nobody listens. */
  defer<TType extends QueuertEventType>(
    type: TType,
    data: () => QueuertEventData[TType],
    span: ObservabilitySpan | null,
  ): (() => void) | null;
  /** Whether anybody keeps gauges: without, nobody need say what changes. */
  readonly hasGauges: boolean;
  idleChanged(change: JobTypeGaugeChange): void;
  processingChanged(change: JobTypeGaugeChange): void;
  /** Null when nobody traces. */
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

  const tell = <TType extends QueuertEventType>(
    type: TType,
    data: QueuertEventData[TType],
    attributes: LogAttributes,
  ): void => {
    try {
      if (logged.has(type)) guard.returned(log?.(toLogEvent(type, data, attributes)));
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
    idleChanged: (change) => {
      try {
        guard.returned(adapter.jobTypeIdleChange?.(change));
      } catch (error) {
        guard.report(error);
      }
    },
    processingChanged: (change) => {
      try {
        guard.returned(adapter.jobTypeProcessingChange?.(change));
      } catch (error) {
        guard.report(error);
      }
    },
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

const toLogEvent = <TType extends QueuertEventType>(
  type: TType,
  data: QueuertEventData[TType],
  attributes: LogAttributes,
): LogEvent => {
  // The table pairs each type with its own data; the compiler cannot follow that through a generic index.
  const [level, sentence] = logLines[type] as unknown as readonly [
    LogLevel,
    (data: unknown) => string,
  ];
  const { error } = data as { readonly error?: unknown };
  const fields = { ...data, ...attributes };
  const event = { level, type, message: sentence(data), data: fields };
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

/** Reports the first error of what belongs to users only: it would come back with every event. */
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
  // The log itself is what throws: the console is all that is left.
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
