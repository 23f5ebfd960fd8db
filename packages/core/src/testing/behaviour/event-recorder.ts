import type { QueuertEventData, QueuertEventType } from "../../adapters/events.ts";
import type { ObservabilityAdapter } from "../../adapters/observability-adapter.ts";
import { logLines } from "../../observe/log-lines.ts";
import type { Log, LogEvent } from "../../observe/log.ts";
import { eventually } from "../waiting.ts";

export interface RecordedEvent<TType extends QueuertEventType = QueuertEventType> {
  readonly type: TType;
  readonly data: QueuertEventData[TType];
}

/** Everything a client has let be observed, in order. */
export interface EventRecorder {
  readonly adapter: ObservabilityAdapter;
  readonly log: Log;
  readonly all: readonly RecordedEvent[];
  readonly logged: readonly LogEvent[];
  /** Sums of all gauge changes, by `idle <type>` and `processing <type>`; those at zero are left out. */
  readonly gauges: () => Readonly<Record<string, number>>;
  /** The data of each event of this type. */
  readonly of: <TType extends QueuertEventType>(type: TType) => readonly QueuertEventData[TType][];
  /** Resolves with the first event of this type that fits. */
  readonly until: <TType extends QueuertEventType>(
    type: TType,
    fits?: (data: QueuertEventData[TType]) => boolean,
  ) => Promise<QueuertEventData[TType]>;
}

export const createEventRecorder = (): EventRecorder => {
  const all: RecordedEvent[] = [];
  const logged: LogEvent[] = [];
  const sums = new Map<string, number>();
  const count = (name: string, delta: number): void => {
    sums.set(name, (sums.get(name) ?? 0) + delta);
  };
  const types = Object.keys(logLines) as QueuertEventType[];
  const receivers = Object.fromEntries(
    types.map((type) => [
      type,
      (data: RecordedEvent["data"]) => {
        all.push({ type, data });
      },
    ]),
  );
  const of: EventRecorder["of"] = <TType extends QueuertEventType>(type: TType) =>
    // An event of this type was recorded with this type's data.
    all.filter((event) => event.type === type).map(({ data }) => data as QueuertEventData[TType]);
  return {
    adapter: {
      ...receivers,
      jobTypeIdleChange: ({ typeName, delta }) => count(`idle ${typeName}`, delta),
      jobTypeProcessingChange: ({ typeName, delta }) => count(`processing ${typeName}`, delta),
    },
    log: (event) => {
      logged.push(event);
    },
    all,
    logged,
    gauges: () => Object.fromEntries([...sums].filter(([, sum]) => sum !== 0)),
    of,
    until: (type, fits = () => true) =>
      eventually(() => Promise.resolve(of(type).find(fits)), `the event ${type}`),
  };
};
