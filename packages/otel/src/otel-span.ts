// The spans that core holds on to, over those of OpenTelemetry.
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

/**
 * Stands for whatever is done in a trace that is not sampled: nothing is recorded, and whoever goes on from here, a driver
 * or another process, knows it.
 */
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
    // Nothing was begun.
  }
}

/** Links to where other jobs were stored; what cannot be read, or is repeated, is left out. */
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

/** Type and message, as the conventions for exceptions have it. What is no error and no text is not spelled out. */
const recordError = (span: Span, error: unknown): void => {
  const type = errorTypeOf(error);
  const isTold = error instanceof Error || typeof error === "string";
  if (error instanceof Error) span.recordException(toException(error, type));
  else if (isTold) span.recordException(error);
  else span.recordException({ name: type, message: `a value of type ${type} was thrown` });
  span.setAttribute(attribute.errorType, type);
  const message = error instanceof Error ? error.message : String(isTold ? error : type);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
};

/** The SDK asks for the name, which a class may not have given its errors. */
const toException = ({ message, stack }: Error, name: string): Exception =>
  stack === undefined ? { name, message } : { name, message, stack };

type Started = NonNullable<Extract<SpanOutcome, { readonly kind: "ok" }>["started"]>;

/** A start that found its sequence there already is linked to the one that has made it. */
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
