// A failure that repeats, as while a store is away, is logged once, and then once a minute with its count.
import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import { describeReason } from "../model/describe-error.ts";

const intervalMs = 60_000;

/** More different failures than this are not remembered. */
const rememberedMax = 100;

const repeating: ReadonlySet<QueuertEventType> = new Set<QueuertEventType>([
  "workerError",
  "stateAdapterError",
  "notifyAdapterError",
]);

interface Failure {
  readonly loggedAt: number;
  /** Since then. */
  count: number;
}

export class RepeatedErrors {
  readonly #failures = new Map<string, Failure>();

  /** Null if it must not be logged now; else how often it has happened without being logged. */
  take(type: QueuertEventType, data: object): number | null {
    if (!repeating.has(type)) return 0;
    const { operation, error } = data as QueuertEventData["stateAdapterError"];
    const key = `${type} ${operation} ${describeReason(error)}`;
    const now = performance.now();
    const failure = this.#failures.get(key);
    if (failure !== undefined && now - failure.loggedAt < intervalMs) {
      failure.count += 1;
      return null;
    }
    if (this.#failures.size >= rememberedMax) this.#failures.clear();
    this.#failures.set(key, { loggedAt: now, count: 0 });
    return failure?.count ?? 0;
  }
}
