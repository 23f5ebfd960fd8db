// The text that is stored with a job: W3C Trace Context as in HTTP headers, one line each. The lines are traceparent,
// tracestate if there is one, and baggage if the option is set.
import {
  type Baggage,
  type BaggageEntry,
  type Context,
  createTraceState,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  TraceFlags,
} from "@opentelemetry/api";

/** A later version may add fields at the end; `ff` is not a version. */
const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** The limits of the standard. A longer header is left out rather than stored with every job. */
const tracestateLengthMax = 512;
const baggageLengthMax = 8_192;

/** Null for an invalid span context. */
export const toTraceContext = (
  spanContext: SpanContext,
  context: Context,
  withBaggage: boolean,
): string | null => {
  if (!isSpanContextValid(spanContext)) return null;
  const { traceId, spanId, traceFlags } = spanContext;
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const parent = `00-${traceId}-${spanId}-${flags}`;
  const state = within(tracestateLengthMax, spanContext.traceState?.serialize());
  const baggage = withBaggage ? within(baggageLengthMax, serialiseBaggage(context)) : "";
  if (baggage !== "") return `${parent}\n${state}\n${baggage}`;
  return state === "" ? parent : `${parent}\n${state}`;
};

const within = (lengthMax: number, text = ""): string => (text.length > lengthMax ? "" : text);

/** Null for a foreign text. */
export const toSpanContext = (text: string): SpanContext | null => {
  const [parent = "", state = ""] = text.includes("\n") ? text.split("\n", 2) : [text];
  const [, traceId = "", spanId = "", flags = ""] = traceparent.exec(parent) ?? [];
  const spanContext: SpanContext = {
    traceId,
    spanId,
    // The only flag of version 00.
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  if (state !== "") spanContext.traceState = createTraceState(state);
  return isSpanContextValid(spanContext) ? spanContext : null;
};

/** The context of a stored text, without anything of the active context. */
export const toContext = (text: string | null, withBaggage: boolean): Context => {
  const spanContext = text === null ? null : toSpanContext(text);
  if (text === null || spanContext === null) return ROOT_CONTEXT;
  const context = trace.setSpanContext(ROOT_CONTEXT, spanContext);
  const baggage = withBaggage ? text.split("\n", 3)[2] : undefined;
  return baggage === undefined ? context : propagation.setBaggage(context, parseBaggage(baggage));
};

const serialiseBaggage = (context: Context): string =>
  (propagation.getBaggage(context)?.getAllEntries() ?? [])
    .map(([key, { value }]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join(",");

const parseBaggage = (text: string): Baggage => {
  const entries: Record<string, BaggageEntry> = {};
  for (const member of text.split(",")) {
    const [pair = ""] = member.split(";", 1);
    const equals = pair.indexOf("=");
    const key = decode(pair.slice(0, Math.max(0, equals)));
    const value = decode(pair.slice(equals + 1));
    if (key !== null && key !== "" && value !== null) entries[key] = { value };
  }
  return propagation.createBaggage(entries);
};

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text.trim());
  } catch (error) {
    // A foreign text: an unreadable member is left out, as the standard requires.
    void error;
    return null;
  }
};
