// A user's span around a step: whatever it throws is caught and reported, and the step runs exactly once all the same.
import type {
  ObservabilitySpan,
  SpanDescription,
  SpanOutcome,
} from "../adapters/observability-adapter.ts";

/** Where errors of what belongs to users end. */
export interface Guard {
  /** It threw, or an asynchronous one rejected. */
  readonly report: (error: unknown) => void;
  /** What it returned: a promise is not waited for, but its rejection would otherwise end the process. */
  readonly returned: (result: unknown) => void;
}

export class GuardedSpan implements ObservabilitySpan {
  readonly original: ObservabilitySpan;
  readonly #guard: Guard;

  constructor(original: ObservabilitySpan, guard: Guard) {
    this.original = original;
    this.#guard = guard;
  }

  run<T>(callback: () => T): T {
    const step = new Step(callback);
    const runOnce = (): T => step.run();
    try {
      this.original.run(runOnce);
    } catch (error) {
      // What the step itself throws is its caller's, and comes again below.
      if (!step.hasThrown(error)) this.#guard.report(error);
    }
    return runOnce();
  }

  traceContext(): string | null {
    try {
      return this.original.traceContext();
    } catch (error) {
      this.#guard.report(error);
      return null;
    }
  }

  end(outcome: SpanOutcome): void {
    try {
      this.#guard.returned(this.original.end(outcome));
    } catch (error) {
      this.#guard.report(error);
    }
  }
}

/** Runs the callback once, and repeats what came of it. */
class Step<T> {
  readonly #callback: () => T;
  #result: { readonly value: T } | null = null;
  #thrown: { readonly error: unknown } | null = null;

  constructor(callback: () => T) {
    this.#callback = callback;
  }

  run(): T {
    if (this.#thrown !== null) throw this.#thrown.error;
    if (this.#result !== null) return this.#result.value;
    try {
      this.#result = { value: this.#callback() };
      return this.#result.value;
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
  }

  hasThrown(error: unknown): boolean {
    return this.#thrown !== null && this.#thrown.error === error;
  }
}

/** The adapter's own span again. */
export const originalSpan = <T extends ObservabilitySpan | null>(span: T): T =>
  // What was wrapped is of the type that went in.
  (span instanceof GuardedSpan ? span.original : span) as T;

/** A description as the adapter gets it: with its own spans in it. */
export const withOriginalSpans = (description: SpanDescription): SpanDescription => {
  switch (description.kind) {
    case "prepare":
    case "complete":
      return { ...description, attempt: originalSpan(description.attempt) };
    case "settle":
      return { ...description, attempts: description.attempts.map(originalSpan) };
    default:
      return description;
  }
};
