// Parents and links. One rule: the attempts of a job are children of the span that stored the job. So a sequence, its
// continuations and the blockers started for it are one trace, below the request that started them.
//
//   request ─▶ start A ─┬▶ process A (attempt 1, failed)
//                       └▶ process A (attempt 2) ─┬▶ the handler's own spans
//                                                 ├▶ prepare A, complete A, settle A
//                                                 └▶ process B, which continues A ─▶ …
//
//   start            child of the active span; linked to the spans that stored deduplicated sequences
//   process          child of the span that stored the job; linked to those that stored the last jobs of its blockers
//   prepare/complete child of the active span inside the attempt, or of the attempt
//   settle           child of its attempt; if one call stores several, of the first, and the others are linked to it
//   complete without a worker: child of the span that stored the job; linked to the active span
import {
  type Context,
  context as contexts,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  trace,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import type { ObservabilitySpan, SpanDescription } from "queuert";
import { ActiveSpanContext } from "./active-span-context.ts";
import { OtelSpan, toLink, toLinks, UnsampledSpan } from "./otel-span.ts";
import { describeSettle, describeSpan, type SpanStart } from "./span-descriptions.ts";
import { toContext } from "./trace-context.ts";

export type StartSpan = (description: SpanDescription) => ObservabilitySpan | null;

/** `withBaggage`: baggage is stored with jobs and active again in their attempts. */
export const createStartSpan = (
  tracer: Tracer,
  withBaggage: boolean,
  isTracing: () => boolean,
): StartSpan => {
  const toParent = rememberLast((text) => toStored(text, withBaggage));
  const start: Starter = ({ name, kind, attributes }, parent, links) =>
    tracer.startSpan(name, { kind, attributes, links }, parent);

  const open = (
    description: Exclude<SpanDescription, { readonly kind: "settle" }>,
    typeName: string,
    parent: Context,
    links: Link[],
  ): OtelSpan => {
    const span = start(describeSpan(description), parent, links);
    return new OtelSpan(span, new ActiveSpanContext(parent, span), typeName, withBaggage);
  };

  return (description) => {
    if (!isTracing()) return null;
    switch (description.kind) {
      case "startSequences":
        return open(description, "", contexts.active(), []);
      case "awaitSequence":
        return open(description, description.typeName, contexts.active(), []);
      case "attempt": {
        const { unsampled, context } = toParent(description.traceContext);
        // One object for all jobs that were started together: an unrecorded attempt should cost nothing.
        if (unsampled !== null) return unsampled;
        const { job, linkedTraceContexts } = description;
        const links = linkedTraceContexts.length === 0 ? [] : toLinks(linkedTraceContexts);
        return open(description, job.typeName, context, links);
      }
      case "prepare":
      case "complete":
        // There is nothing to record, and the attempt's context is active already.
        if (isUnsampled(description.attempt)) return null;
        return open(description, description.job.typeName, within(description.attempt), []);
      case "completeExternally": {
        const { job, traceContext } = description;
        const story = toContext(traceContext, withBaggage);
        if (story === ROOT_CONTEXT) return open(description, job.typeName, contexts.active(), []);
        return open(description, job.typeName, story, toLink(trace.getActiveSpan()?.spanContext()));
      }
      case "settle":
        return openSettle(start, description.attempts);
    }
  };
};

/** The trace context that was stored with a job. */
interface Stored {
  readonly text: string | null;
  readonly context: Context;
  /** Present if the trace is known not to be sampled. */
  readonly unsampled: UnsampledSpan | null;
}

const toStored = (text: string | null, withBaggage: boolean): Stored => {
  const context = toContext(text, withBaggage);
  const flags = trace.getSpanContext(context)?.traceFlags;
  const isUnsampled = flags !== undefined && (flags & TraceFlags.SAMPLED) === 0;
  return { text, context, unsampled: isUnsampled ? new UnsampledSpan(context, text) : null };
};

/** Jobs that were started together have one context, and are acquired one after the other. */
const rememberLast = (read: (text: string | null) => Stored): ((text: string | null) => Stored) => {
  let last: Stored | null = null;
  return (text) => {
    if (last === null || last.text !== text) last = read(text);
    return last;
  };
};

type Starter = (start: SpanStart, parent: Context, links: Link[]) => Span;

const isUnsampled = (attempt: ObservabilitySpan | null): boolean =>
  attempt instanceof UnsampledSpan || (attempt instanceof OtelSpan && !attempt.span.isRecording());

/** The active context belongs to the attempt, unless the user code has lost its context. */
const within = (attempt: ObservabilitySpan | null): Context => {
  const active = contexts.active();
  if (!(attempt instanceof OtelSpan)) return active;
  const { traceId } = attempt.span.spanContext();
  return trace.getSpanContext(active)?.traceId === traceId ? active : attempt.context;
};

/**
 * One call that stores several outcomes is one span, in the first recorded trace. The other attempts are linked to it. If
 * no trace is recorded, the spans of an instrumented driver are not recorded either.
 */
const openSettle = (
  start: Starter,
  attempts: readonly ObservabilitySpan[],
): ObservabilitySpan | null => {
  const own = attempts.filter((attempt) => attempt instanceof OtelSpan);
  const recorded = own.filter(({ span }) => span.isRecording());
  const first = recorded[0] ?? own[0];
  if (first === undefined) return attempts.find((one) => one instanceof UnsampledSpan) ?? null;
  const span = start(describeSettle(first.typeName, attempts.length), first.context, []);
  const link = { context: span.spanContext() };
  for (const other of recorded) {
    if (other !== first) other.span.addEvent(settleEventName).addLink(link);
  }
  return new OtelSpan(span, new ActiveSpanContext(first.context, span), first.typeName, false);
};

/** The event on an attempt that is settled with others: when settling began. */
const settleEventName = "settle";

/** The ids of a span, as OpenTelemetry names them in logs of other formats. */
export const logAttributes = (
  span: ObservabilitySpan | null,
): Readonly<Record<string, string>> | undefined => {
  const active =
    span instanceof OtelSpan || span instanceof UnsampledSpan
      ? trace.getSpan(span.context)
      : trace.getActiveSpan();
  const spanContext = active?.spanContext();
  if (spanContext === undefined || !isSpanContextValid(spanContext)) return undefined;
  const { traceId, spanId, traceFlags } = spanContext;
  return {
    trace_id: traceId,
    span_id: spanId,
    trace_flags: traceFlags.toString(16).padStart(2, "0"),
  };
};
