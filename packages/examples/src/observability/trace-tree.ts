import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";

/** The fields of a span that are kept. */
interface TreeSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly error: string | null;
  readonly links: readonly string[];
}

const toMs = ([seconds, nanos]: readonly [number, number]): number => seconds * 1e3 + nanos / 1e6;

/** A span as a line of the file. */
export const toLine = (service: string, span: ReadableSpan): string => {
  const { traceId, spanId } = span.spanContext();
  const kept: TreeSpan = {
    service,
    name: span.name,
    traceId,
    spanId,
    parentId: span.parentSpanContext?.spanId ?? null,
    startedAtMs: toMs(span.startTime),
    durationMs: toMs(span.duration),
    error: span.status.message ?? null,
    links: span.links.map(({ context }) => context.spanId),
  };
  return `${JSON.stringify(kept)}\n`;
};

/** Every trace as a tree, children below their parents in the order in which they began. */
export const drawTraces = (lines: string): string => {
  const spans = lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TreeSpan)
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const draw = (parent: TreeSpan | null, indent: string): string[] =>
    spans
      .filter(({ parentId }) => parentId === (parent?.spanId ?? null))
      .flatMap((span) => [line(span, indent, names), ...draw(span, `${indent}  `)]);
  return draw(null, "").join("\n");
};

const line = (span: TreeSpan, indent: string, names: ReadonlyMap<string, string>): string => {
  const linked = span.links.map((id) => names.get(id) ?? id).join(", ");
  return [
    `${indent}${span.name}`.padEnd(44),
    `${span.service.padEnd(8)}${span.durationMs.toFixed(1).padStart(7)} ms`,
    ...(span.error === null ? [] : [`  ✕ ${span.error}`]),
    ...(linked === "" ? [] : [`  ↝ ${linked}`]),
  ].join("");
};
