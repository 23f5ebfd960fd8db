// The SDK's share of the adapter's work for a job. By value: a span with its attributes, an event, a link and a result. By
// callback: three spans. In both cases also four durations.
import {
  type Attributes,
  context,
  type Meter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import type { Settlement } from "./modes.ts";

interface Job {
  readonly id: string;
  readonly typeName: string;
  readonly sequenceId: string;
}

/** Runs a process function in a span. */
export type ByHand = <T>(job: Job, settlement: Settlement, run: () => Promise<T>) => Promise<T>;

/** As many as are settled by one call at most: so many spans are open before the first of them ends. */
const openMax = 500;

const parent = trace.setSpanContext(ROOT_CONTEXT, {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
});
const link = { context: { traceId: "1", spanId: "1", traceFlags: TraceFlags.SAMPLED } };

const attributesOf = ({ id, typeName, sequenceId }: Job): Attributes => ({
  "messaging.system": "queuert",
  "messaging.operation.name": "process",
  "messaging.operation.type": "process",
  "messaging.destination.name": typeName,
  "messaging.message.id": id,
  "messaging.message.conversation_id": sequenceId,
  "messaging.client.id": "worker",
  "queuert.job.attempt": 1,
});

export const createByHand = (meter: Meter): ByHand => {
  const tracer = trace.getTracer("by hand");
  const durations = ["sequence", "job", "wait"].map((name) => meter.createHistogram(name));
  const attemptDuration = meter.createHistogram("attempt");
  let open: Span[] = [];
  const end = (span: Span): void => {
    span.setAttribute("queuert.job.attempt.result", "completed");
    span.end();
  };
  const endAll = (): void => {
    for (const span of open) end(span.addEvent("settle").addLink(link));
    open = [];
  };
  return (job, settlement, run) => {
    const { typeName, id } = job;
    const options = { kind: SpanKind.CONSUMER, attributes: attributesOf(job) };
    const span = tracer.startSpan(`process ${typeName}`, options, parent);
    const within = trace.setSpan(parent, span);
    for (const duration of durations) duration.record(1, { typeName });
    attemptDuration.record(1, { typeName, outcome: "completed" });
    if (settlement === "value") {
      if (open.push(span) === openMax) endAll();
    } else {
      const attributes = { "messaging.message.id": id };
      tracer.startSpan(`complete ${typeName}`, { attributes }, within).end();
      tracer.startSpan(`settle ${typeName}`, { kind: SpanKind.CLIENT, attributes }, within).end();
      end(span);
    }
    return context.with(within, run);
  };
};
