import { createTraceState, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { toContext, toSpanContext, toTraceContext } from "../src/trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("trace context", () => {
  it("is a traceparent", () => {
    const stored = toTraceContext({ traceId, spanId, traceFlags: 1 }, ROOT_CONTEXT, false);
    expect(stored).toBe(`00-${traceId}-${spanId}-01`);
    const read = toSpanContext(stored ?? "");
    expect(read).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true });
  });

  it("says when it is not sampled", () => {
    const stored = toTraceContext({ traceId, spanId, traceFlags: 0 }, ROOT_CONTEXT, false);
    expect(toSpanContext(stored ?? "")?.traceFlags).toBe(0);
  });

  it("keeps the tracestate", () => {
    const traceState = createTraceState("vendor=opaque,other=1");
    const spanContext = { traceId, spanId, traceFlags: 1, traceState };
    const stored = toTraceContext(spanContext, ROOT_CONTEXT, true);
    expect(toSpanContext(stored ?? "")?.traceState?.serialize()).toBe("vendor=opaque,other=1");
  });

  it("is null for a span that is none", () => {
    const spanContext = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 };
    expect(toTraceContext(spanContext, ROOT_CONTEXT, false)).toBeNull();
  });

  it.each([
    "",
    "nonsense",
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ])("ignores a foreign text: %s", (text) => {
    expect(toSpanContext(text)).toBeNull();
    expect(toContext(text, true)).toBe(ROOT_CONTEXT);
  });

  it("reads a later version as far as it knows it", () => {
    const read = toContext(`01-${traceId}-${spanId}-03-more`, false);
    expect(trace.getSpanContext(read)).toMatchObject({ traceId, spanId, traceFlags: 1 });
  });
});
