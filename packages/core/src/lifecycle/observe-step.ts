import type {
  ObservabilitySpan,
  SpanDescription,
  SpanOutcome,
} from "../adapters/observability-adapter.ts";
import type { Engine } from "../engine.ts";

/** Runs a step inside a span, with tracing. */
export const observeStep = <T>(
  { observer }: Pick<Engine, "observer">,
  describe: () => SpanDescription,
  step: (span: ObservabilitySpan | null) => Promise<T>,
  /** The outcome that the span reports of a result. */
  toOutcome: (result: T) => SpanOutcome = () => ({ kind: "ok" }),
): Promise<T> => {
  const span = observer.startSpan(describe);
  return span === null ? step(null) : stepInSpan(span, step, toOutcome);
};

/** Chained, as `runAttempt` is: every attempt goes through here. */
const stepInSpan = <T>(
  span: ObservabilitySpan,
  step: (span: ObservabilitySpan) => Promise<T>,
  toOutcome: (result: T) => SpanOutcome,
): Promise<T> =>
  span
    .run(() => step(span))
    .then(
      (result) => {
        span.end(toOutcome(result));
        return result;
      },
      (error: unknown) => {
        span.end({ kind: "error", error });
        throw error;
      },
    );
