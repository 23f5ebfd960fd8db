import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { MetricReader, MeterProvider } from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createOtelObservabilityAdapter } from "@queuert/otel";
import type { ObservabilityAdapter } from "queuert";
import { type ByHand, createByHand } from "./by-hand.ts";
import type { Mode } from "./modes.ts";

/** Keeps the latest batch. */
class MemoryExporter implements SpanExporter {
  latest: readonly ReadableSpan[] = [];

  export(...[spans, done]: Parameters<SpanExporter["export"]>): void {
    this.latest = spans;
    done({ code: 0 });
  }

  async shutdown(): Promise<void> {}
}

class DrivenReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

const sampled: Readonly<Partial<Record<Mode, number>>> = {
  "SDK, 10 % of traces": 0.1,
  "SDK, every trace": 1,
  "SDK, by hand": 1,
};

export interface Observed {
  readonly adapter: ObservabilityAdapter | undefined;
  /** In place of an adapter. */
  readonly byHand?: ByHand;
  /** Exports the gathered spans. */
  readonly flush: () => Promise<void>;
}

/** Registers the SDK of the mode, as an application does: once, before anything else. */
export const observe = (mode: Mode): Observed => {
  const nothing = async (): Promise<void> => undefined;
  if (mode === "no adapter") return { adapter: undefined, flush: nothing };
  if (mode === "adapter, no SDK") {
    return { adapter: createOtelObservabilityAdapter(), flush: nothing };
  }
  if (mode === "SDK, no adapter") {
    new NodeTracerProvider({
      spanProcessors: [new BatchSpanProcessor(new MemoryExporter())],
    }).register();
    // From the first use on, every promise of the process carries a context.
    context.with(ROOT_CONTEXT, () => undefined);
    return { adapter: undefined, flush: nothing };
  }
  const reader = new DrivenReader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter("queuert");
  const ratio = sampled[mode];
  const collect = async (): Promise<void> => {
    await reader.collect();
  };
  if (ratio === undefined) {
    return { adapter: createOtelObservabilityAdapter({ meter }), flush: collect };
  }
  const tracers = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new MemoryExporter())],
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
  });
  tracers.register();
  const flush = async (): Promise<void> => {
    await tracers.forceFlush();
    await collect();
  };
  if (mode === "SDK, by hand") return { adapter: undefined, byHand: createByHand(meter), flush };
  return { adapter: createOtelObservabilityAdapter({ meter }), flush };
};
