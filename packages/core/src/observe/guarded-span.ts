// A user's span around a step: its errors are caught and reported, and the step runs exactly once all the same.
import type {
  ObservabilitySpan,
  SpanDescription,
  SpanOutcome,
} from "../adapters/observability-adapter.ts";

/** Where errors of the user's code end. */
export interface Guard {
  /** It threw, or an asynchronous one rejected. */
  readonly report: (error: unknown) => void;
  /** Its result: a promise is not awaited, but its rejection would otherwise end the process. */
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
    try {
      this.original.run(() => step.run());
    } catch (error) {
      // An error of the step itself is its caller's, and is thrown again below.
      if (!step.hasThrown(error)) this.#guard.report(error);
    }
    return step.run();
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

/** Runs the callback once, and repeats its result or its error. */
class Step<T> {
  readonly #callback: () => T;
  #state: "new" | "returned" | "threw" = "new";
  /** Its result, or its error. */
  #result: unknown;

  constructor(callback: () => T) {
    this.#callback = callback;
  }

  run(): T {
    if (this.#state === "new") {
      try {
        this.#result = this.#callback();
        this.#state = "returned";
      } catch (error) {
        this.#result = error;
        this.#state = "threw";
      }
    }
    if (this.#state === "threw") throw this.#result;
    // The result of the callback.
    return this.#result as T;
  }

  hasThrown(error: unknown): boolean {
    return this.#state === "threw" && this.#result === error;
  }
}

/** Starts a span. Null without tracing. */
interface SpanStarter {
  readonly startSpan: (describe: () => SpanDescription) => ObservabilitySpan | null;
}

/** Runs a step in a span, with tracing. */
export const observeStep = <T>(
  { observer }: { readonly observer: SpanStarter },
  describe: () => SpanDescription,
  step: (span: ObservabilitySpan | null) => Promise<T>,
  /** The outcome that the span reports of a result. */
  toOutcome?: (result: T) => SpanOutcome,
): Promise<T> => {
  const span = observer.startSpan(describe);
  return span === null ? step(null) : runInSpan(span, () => step(span), toOutcome);
};

/** Chained instead of awaited: every attempt goes through here. */
export const runInSpan = <T>(
  span: ObservabilitySpan,
  step: () => Promise<T>,
  toOutcome: (result: T) => SpanOutcome = () => ({ kind: "ok" }),
): Promise<T> =>
  span.run(step).then(
    (result) => {
      span.end(toOutcome(result));
      return result;
    },
    (error: unknown) => {
      span.end({ kind: "error", error });
      throw error;
    },
  );

/** The adapter's own span again. */
export const originalSpan = <T extends ObservabilitySpan | null>(span: T): T =>
  // The wrapped span is of the type that went in.
  (span instanceof GuardedSpan ? span.original : span) as T;

/** A description as the adapter gets it: with its own spans in it. */
export const withOriginalSpans = (description: SpanDescription): SpanDescription => {
  switch (description.kind) {
    // Field by field: spreading costs a microsecond.
    case "prepare": {
      const { kind, job, mode, attempt } = description;
      return { kind, job, mode, attempt: originalSpan(attempt) };
    }
    case "complete": {
      const { kind, job, attempt } = description;
      return { kind, job, attempt: originalSpan(attempt) };
    }
    case "settle":
      return { kind: "settle", attempts: description.attempts.map(originalSpan) };
    default:
      return description;
  }
};
