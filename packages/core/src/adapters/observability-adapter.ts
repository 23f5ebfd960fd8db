import type { JobProcessingData, JobTypeGaugeChange, QueuertEventData } from "./events.ts";
import type { StateJobReference } from "../model/state-job.ts";

/** What a span is about. Where no parent is named, it is whatever is active where the span starts. */
export type SpanDescription =
  | { readonly kind: "startSequences"; readonly typeNames: readonly string[] }
  | {
      readonly kind: "attempt";
      readonly job: JobProcessingData;
      /** Its parent: what `traceContext()` gave when the job was stored, possibly in another process. */
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

/** What became of an attempt. `abandoned`: its outcome could not be stored, the job runs again. */
export type AttemptResult =
  "completed" | "continued" | "retried" | "rescheduled" | "failed" | "lost" | "abandoned";

/** A sequence that a start has created or found. */
export interface StartedSpanSequence {
  readonly sequenceId: string;
  readonly deduplicated: boolean;
  /** As stored with its first job. */
  readonly traceContext: string | null;
}

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
   * A string that `SpanDescription.traceContext` takes up again later. Also of a span that is not sampled: who goes on
   * from it has to know that it is not. Null when there is nothing to go on from.
   */
  traceContext(): string | null;
  end(outcome: SpanOutcome): void;
}

/**
 * Receives what happens, one method per event, named as the event. Every method is optional: what is not there is not
 * observed, and costs nothing. Nothing here can fail a job: what throws is caught and reported once.
 */
export type ObservabilityAdapter = {
  readonly [TType in keyof QueuertEventData]?: (data: QueuertEventData[TType]) => void;
} & {
  /** Workers that could take a job of this type; up when a worker starts and an attempt ends. */
  readonly jobTypeIdleChange?: (change: JobTypeGaugeChange) => void;
  /** Attempts of this type under way. */
  readonly jobTypeProcessingChange?: (change: JobTypeGaugeChange) => void;
  /** Null: this one is not traced. */
  readonly startSpan?: (description: SpanDescription) => ObservabilitySpan | null;
  /**
   * Merged into a log event, such as the ids of a trace. Asked when the event happens, which may be before it is told.
   * `span`: that of the attempt it is about; null: whatever is active.
   */
  readonly logAttributes?: (
    span: ObservabilitySpan | null,
  ) => Readonly<Record<string, string>> | undefined;
};
