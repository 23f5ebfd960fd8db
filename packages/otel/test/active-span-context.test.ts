import { createContextKey, INVALID_SPAN_CONTEXT, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { ActiveSpanContext } from "../src/active-span-context.ts";

const key = createContextKey("of a user");
const spanContext = { ...INVALID_SPAN_CONTEXT, traceId: "1".repeat(32), spanId: "2".repeat(16) };
const span = trace.wrapSpanContext(spanContext);
const outer = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
const parent = trace.setSpan(ROOT_CONTEXT.setValue(key, "kept"), outer);

test("holds its span, and the values of its parent", () => {
  const context = new ActiveSpanContext(parent, span);
  expect(trace.getSpan(context)).toBe(span);
  expect(context.getValue(key)).toBe("kept");
  expect(trace.getSpan(parent)).toBe(outer);
});

test("is extended as any other context", () => {
  const context = new ActiveSpanContext(parent, span);
  const changed = context.setValue(key, "changed");
  expect(changed.getValue(key)).toBe("changed");
  expect(trace.getSpan(changed)).toBe(span);
  const without = context.deleteValue(key);
  expect(without.getValue(key)).toBeUndefined();
  expect(trace.getSpan(without)).toBe(span);
  expect(trace.getSpan(trace.deleteSpan(context))).toBeUndefined();
  expect(trace.getSpan(trace.setSpan(context, outer))).toBe(outer);
  expect(context.getValue(key)).toBe("kept");
});
