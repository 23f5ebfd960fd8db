import type { JobProcessingData, JobTypeGaugeChange, QueuertEventData } from "./events.ts";
import type { StateJobReference } from "../model/state-job.ts";

/** The subject of a span. If no parent is named, the parent is the span that is active at its start. */
export type SpanDescription =
  | { readonly kind: "startSequences"; readonly typeNames: readonly string[] }
  | {
      readonly kind: "attempt";
      readonly job: JobProcessingData;
      /** Its parent: the result of `traceContext()` when the job was stored, possibly in another process. */
      readonly traceContext: string | null;
      /** Of the sequences the job waited for. */
      readonly linkedTraceContexts: readonly string[];
    }
  | {
      readonly kind: "prepare";
      readonly job: JobProcessingData;
      readonly mode: "atomic" | "staged";
      readonly attempt: ObservabilitySpan | null;
    }
  | {
      readonly kind: "complete";
      readonly job: JobProcessingData;
      readonly attempt: ObservabilitySpan | null;
    }
  /** One call stores the outcomes of all these attempts; it belongs to each of them. */
  | { readonly kind: "settle"; readonly attempts: readonly ObservabilitySpan[] }
  /** A job is completed without a worker. `traceContext` is its parent, as for an attempt. */
  | {
      readonly kind: "completeExternally";
      readonly job: StateJobReference;
      readonly traceContext: string | null;
    }
  | { readonly kind: "awaitSequence"; readonly sequenceId: string; readonly typeName: string };

/** The end of an attempt. `abandoned`: its outcome could not be stored, so the job runs again. */
export type AttemptResult =
  | "completed"
  | "continued"
  | "retried"
  | "rescheduled"
  | "failed"
  | "cancelled"
  | "lost"
  | "abandoned";

/** A sequence that a start has created or found. */
export interface StartedSpanSequence {
  readonly sequenceId: string;
  readonly deduplicated: boolean;
  /** As stored with its first job. */
  readonly traceContext: string | null;
}

/** How a span ends. */
export type SpanOutcome =
  | {
      readonly kind: "ok";
      readonly result?: AttemptResult | undefined;
      readonly started?: readonly StartedSpanSequence[] | undefined;
    }
  | {
      readonly kind: "error";
      readonly error: unknown;
      readonly result?: AttemptResult | undefined;
    };

/** One timed step. Everything on it must be cheap and must not throw. */
export interface ObservabilitySpan {
  /** Runs the callback with this span active, so that the user's own spans nest under it. */
  run<T>(callback: () => T): T;
  /**
   * A string for a later `SpanDescription.traceContext`. A span that is not sampled has one as well, so that later spans
   * of its trace are not sampled either. Null if there is no trace.
   */
  traceContext(): string | null;
  end(outcome: SpanOutcome): void;
}

/**
 * Receives events, by one method per event, named as the event. Every method is optional: an event without a method costs
 * nothing. A method that throws cannot fail a job: the error is caught and reported once.
 */
export type ObservabilityAdapter = {
  readonly [TType in keyof QueuertEventData]?: (data: QueuertEventData[TType]) => void;
} & {
  /** Workers that could take a job of this type; up when a worker starts and an attempt ends. */
  readonly jobTypeIdleChange?: (change: JobTypeGaugeChange) => void;
  /** Attempts of this type under way. */
  readonly jobTypeProcessingChange?: (change: JobTypeGaugeChange) => void;
  /** Null: the span is not traced. */
  readonly startSpan?: (description: SpanDescription) => ObservabilitySpan | null;
  /**
   * Merged into a log event, such as the ids of a trace. Called when the event happens, which may be before it is logged.
   * `span`: that of the event's attempt; null: the active span.
   */
  readonly logAttributes?: (
    span: ObservabilitySpan | null,
  ) => Readonly<Record<string, string>> | undefined;
};
