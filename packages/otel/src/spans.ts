// Parents and links. One rule: whatever a job does is a child of what stored the job, so that a sequence, its continuations
// and the blockers started for it are one trace, below the request that started them.
//
//   request ─▶ start A ─┬▶ process A (attempt 1, failed)
//                       └▶ process A (attempt 2) ─┬▶ the handler's own spans
//                                                 ├▶ prepare A, complete A, settle A
//                                                 └▶ process B, which continues A ─▶ …
//
//   start            child of what is active; linked to sequences it found instead of starting them
//   process          child of what stored the job; linked to what stored the last jobs of its blockers
//   prepare/complete child of what is active inside the attempt, or else of the attempt
//   settle           child of its attempt; of several that one call stores, of the first, and the others are linked to it
//   complete without a worker: child of what stored the job; linked to what is active
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
        // One for all the jobs that were started together: what is not recorded should cost nothing.
        if (unsampled !== null) return unsampled;
        const { job, linkedTraceContexts } = description;
        const links = linkedTraceContexts.length === 0 ? [] : toLinks(linkedTraceContexts);
        return open(description, job.typeName, context, links);
      }
      case "prepare":
      case "complete":
        // Nothing to record, and the attempt's own context is active already.
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

/** What a job was stored with. */
interface Stored {
  readonly text: string | null;
  readonly context: Context;
  /** Where the trace is known not to be sampled. */
  readonly unsampled: UnsampledSpan | null;
}

const toStored = (text: string | null, withBaggage: boolean): Stored => {
  const context = toContext(text, withBaggage);
  const flags = trace.getSpanContext(context)?.traceFlags;
  const isUnsampled = flags !== undefined && (flags & TraceFlags.SAMPLED) === 0;
  return { text, context, unsampled: isUnsampled ? new UnsampledSpan(context, text) : null };
};

/** Jobs started together are stored with one context, and taken one after the other. */
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

/** What is active belongs to the attempt, unless the user code has lost its context. */
const within = (attempt: ObservabilitySpan | null): Context => {
  const active = contexts.active();
  if (!(attempt instanceof OtelSpan)) return active;
  const { traceId } = attempt.span.spanContext();
  return trace.getSpanContext(active)?.traceId === traceId ? active : attempt.context;
};

/**
 * One call for many is one span, where its statements show: in the first trace that is recorded. The other attempts are
 * linked to it; where none is recorded, an instrumented driver has to know that, too.
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

/** On an attempt that is settled with others: when that began. */
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
