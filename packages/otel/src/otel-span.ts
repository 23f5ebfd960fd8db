// The spans that core holds, on top of the spans of OpenTelemetry.
import {
  type Context,
  context as contexts,
  type Exception,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanStatusCode,
} from "@opentelemetry/api";
import type { ObservabilitySpan, SpanOutcome } from "queuert";
import { spanAttribute as attribute } from "./attributes.ts";
import { errorTypeOf } from "./error-type.ts";
import { toSpanContext, toTraceContext } from "./trace-context.ts";

/** One span, and the context in which it is the active one. */
export class OtelSpan implements ObservabilitySpan {
  readonly span: Span;
  readonly context: Context;
  readonly typeName: string;
  readonly #withBaggage: boolean;

  constructor(span: Span, context: Context, typeName: string, withBaggage: boolean) {
    this.span = span;
    this.context = context;
    this.typeName = typeName;
    this.#withBaggage = withBaggage;
  }

  run<T>(callback: () => T): T {
    return contexts.with(this.context, callback);
  }

  traceContext(): string | null {
    return toTraceContext(this.span.spanContext(), this.context, this.#withBaggage);
  }

  end(outcome: SpanOutcome): void {
    endSpan(this.span, outcome);
  }
}

/** A span in a trace that is not sampled. It records nothing, and later spans of the trace are not sampled either. */
export class UnsampledSpan implements ObservabilitySpan {
  readonly context: Context;
  readonly #text: string | null;

  /** `text`: the context as it is stored with jobs. */
  constructor(context: Context, text: string | null) {
    this.context = context;
    this.#text = text;
  }

  run<T>(callback: () => T): T {
    return contexts.with(this.context, callback);
  }

  traceContext(): string | null {
    return this.#text;
  }

  end(): void {
    // There is no span to end.
  }
}

/** Links to the spans that stored other jobs, each once. An unreadable text is left out. */
export const toLinks = (traceContexts: readonly string[]): Link[] =>
  [...new Set(traceContexts)].flatMap((text) => toLink(toSpanContext(text)));

/** A link to a span, if it is one. */
export const toLink = (spanContext: SpanContext | null | undefined): Link[] =>
  spanContext !== null && spanContext !== undefined && isSpanContextValid(spanContext)
    ? [{ context: spanContext }]
    : [];

const endSpan = (span: Span, outcome: SpanOutcome): void => {
  if (span.isRecording()) {
    const { result } = outcome;
    if (result !== undefined) span.setAttribute(attribute.result, result);
    if (outcome.kind === "error") recordError(span, outcome.error);
    else if (outcome.started !== undefined) recordStarted(span, outcome.started);
  }
  span.end();
};

/** Type, message and stack, as in the conventions for exceptions. A thrown value that is not an error is not printed. */
const recordError = (span: Span, error: unknown): void => {
  const type = errorTypeOf(error);
  const exception =
    error instanceof Error
      ? toException(error, type)
      : {
          name: type,
          message: typeof error === "string" ? error : `a value of type ${type} was thrown`,
        };
  span.recordException(exception);
  span.setAttribute(attribute.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message });
};

/** The SDK needs a name, which a class may not have given its errors. */
const toException = (
  error: Error,
  name: string,
): Exception & { readonly name: string; readonly message: string } => {
  const message = withoutPath(error, error.message);
  return error.stack === undefined
    ? { name, message }
    : { name, message, stack: withoutPath(error, error.stack) };
};

/** The path of a `NotJsonError` consists of keys of the payload, which belong in no span. */
const withoutPath = (error: Error, text: string): string => {
  const { code, path }: { readonly code?: unknown; readonly path?: unknown } = Object(error);
  if (code !== "QUEUERT_NOT_JSON" || typeof path !== "string" || path === "$") return text;
  return text.replaceAll(path, "a path that is left out here");
};

type Started = NonNullable<Extract<SpanOutcome, { readonly kind: "ok" }>["started"]>;

/** A start that was deduplicated is linked to the span that stored the sequence. */
const recordStarted = (span: Span, started: Started): void => {
  const [first] = started;
  if (first !== undefined && started.length === 1) {
    span.setAttribute(attribute.messageId, first.sequenceId);
    span.setAttribute(attribute.conversationId, first.sequenceId);
  }
  const found = started.filter(({ deduplicated }) => deduplicated);
  if (found.length === 0) return;
  span.setAttribute(attribute.deduplicatedCount, found.length);
  span.addLinks(toLinks(found.flatMap(({ traceContext }) => traceContext ?? [])));
};
