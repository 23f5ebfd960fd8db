import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { type LogEvent, createInProcessStateAdapter, rescheduleJob } from "queuert";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { openApp, payload, quick } from "./app.ts";
import { createSdk, drawSpans, type Sdk } from "./sdk.ts";

const only = (sdk: Sdk, name: string): ReadableSpan => {
  const found = sdk.spans().filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0] as ReadableSpan;
};

/** Runs the callback inside a span, as instrumentation of an HTTP server does. */
const inRequest = <T>({ tracer }: Sdk, callback: () => Promise<T>): Promise<T> =>
  tracer.startActiveSpan("POST /orders", async (span) => {
    try {
      return await callback();
    } finally {
      span.end();
    }
  });

describe("traces", () => {
  it("show a sequence, its continuation and its blockers as one story below the request", async () => {
    const app = await openApp();
    const { sdk, queuert, done } = app;
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        process: async ({ prepare, complete }) => {
          await prepare({ mode: "staged" }, async () => undefined);
          await sdk.tracer.startActiveSpan("handler's own", async (span) => span.end());
          return complete(async () => payload);
        },
      })
      .implementJobType({
        typeName: "first",
        process: async ({ complete }) =>
          complete.continueWith({ typeName: "second", input: payload }),
      })
      .implementJobType({ typeName: "second", process: async ({ complete }) => complete(payload) })
      .implementJobType({ typeName: "waiting", process: async ({ complete }) => complete(payload) })
      .start({ ...quick, concurrency: 1 });
    // One after the other: jobs that end together may be settled together.
    await inRequest(sdk, async () => {
      const { id } = await queuert.transaction((tx) =>
        queuert.startJobSequence({
          ...tx,
          typeName: "waiting",
          input: payload,
          startBlockers: async () => [
            await queuert.startJobSequence({ ...tx, typeName: "task", input: payload }),
          ],
        }),
      );
      await done(id, "waiting");
      const chain = await app.start("first");
      await done(chain.id, "first");
    });
    await worker.stop();

    const story = sdk.spans().filter(({ name }) => !name.startsWith("await"));
    expect(new Set(story.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(drawSpans(story)).toBe(
      [
        "POST /orders",
        "  start waiting",
        "    start task",
        "      process task",
        "        prepare task",
        "        handler's own",
        "        complete task",
        "        settle task",
        "    process waiting",
        "      settle waiting",
        "  start first",
        "    process first",
        "      settle first",
        "      process second",
        "        settle second",
      ].join("\n"),
    );
    // The dependant is linked to its blocker.
    const [link] = only(sdk, "process waiting").links;
    expect(link?.context.spanId).toBe(only(sdk, "start task").spanContext().spanId);
    // Ids and names, and nothing of the payloads.
    const told = story.map(({ name, attributes, events }) => ({ name, attributes, events }));
    expect(JSON.stringify(told)).not.toContain(payload.secret);
  });

  it("follow the conventions for messaging", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
      .start(quick);
    const { id } = await start();
    await done(id);
    await worker.stop();
    const started = only(sdk, "start task");
    expect(started.kind).toBe(SpanKind.PRODUCER);
    expect(started.attributes).toEqual({
      "messaging.system": "queuert",
      "messaging.operation.name": "start",
      "messaging.operation.type": "send",
      "messaging.destination.name": "task",
      "messaging.message.id": id,
      "messaging.message.conversation_id": id,
    });
    const processed = only(sdk, "process task");
    expect(processed.kind).toBe(SpanKind.CONSUMER);
    expect(processed.attributes).toEqual({
      "messaging.system": "queuert",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "task",
      "messaging.message.id": id,
      "messaging.message.conversation_id": id,
      "messaging.client.id": "w1",
      "queuert.job.attempt": 1,
      "queuert.job.attempt.result": "completed",
    });
    expect(only(sdk, "settle task").kind).toBe(SpanKind.CLIENT);
  });

  it("end an attempt after it is settled, also when many are settled together", async () => {
    const { sdk, queuert } = await openApp();
    const sequences = Array.from({ length: 20 }, () => ({
      typeName: "task" as const,
      input: payload,
    }));
    const started = await queuert.transaction((tx) =>
      queuert.startJobSequences({ ...tx, sequences }),
    );
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
      .start({ ...quick, concurrency: 20 });
    const waiting = started.map(({ id }) =>
      queuert.waitForJobSequenceCompletion({ id, typeName: "task", timeoutMs: 5_000 }),
    );
    await Promise.all(waiting);
    await worker.stop();
    const attempts = sdk.spans().filter(({ name }) => name === "process task");
    const settles = sdk.spans().filter(({ name }) => name === "settle task");
    const order = sdk.spans();
    expect(attempts).toHaveLength(20);
    for (const attempt of attempts) {
      const linked = attempt.links.map(({ context: { spanId } }) => spanId);
      const own = settles.filter(
        (settle) =>
          settle.parentSpanContext?.spanId === attempt.spanContext().spanId ||
          linked.includes(settle.spanContext().spanId),
      );
      expect(own).toHaveLength(1);
      expect(attempt.events.map(({ name }) => name)).toEqual(linked.map(() => "settle"));
      // Exported in the order in which they end; their clocks differ by fractions of a millisecond.
      expect(order.indexOf(attempt)).toBeGreaterThan(order.indexOf(own[0] as ReadableSpan));
    }
    const together = settles.map(({ attributes }) => attributes["messaging.batch.message_count"]);
    expect(together.reduce<number>((sum, count) => sum + Number(count ?? 1), 0)).toBe(20);
    expect(together.some((count) => Number(count) > 1)).toBe(true);
    expect(only(sdk, "start task").attributes["messaging.batch.message_count"]).toBe(20);
  });

  it("record the error of an attempt, and distinguish retries from reschedules", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete }) => {
          if (job.leaseVersion === 1) throw new TypeError("broken");
          if (job.leaseVersion === 2) throw { value: payload.secret };
          if (job.leaseVersion === 3) rescheduleJob({ afterMs: 1 });
          return complete(payload);
        },
      })
      .start(quick);
    await done((await start()).id);
    await worker.stop();
    const attempts = sdk.spans().filter(({ name }) => name === "process task");
    const [typed, untyped, rescheduled, completed] = attempts;
    expect(attempts.map(({ attributes }) => attributes["queuert.job.attempt.result"])).toEqual([
      "retried",
      "retried",
      "rescheduled",
      "completed",
    ]);
    expect(typed?.status).toEqual({ code: SpanStatusCode.ERROR, message: "broken" });
    expect(typed?.attributes["error.type"]).toBe("TypeError");
    expect(typed?.events[0]?.attributes).toMatchObject({
      "exception.type": "TypeError",
      "exception.message": "broken",
    });
    expect(untyped?.attributes["error.type"]).toBe("object");
    expect(JSON.stringify(untyped?.events)).not.toContain(payload.secret);
    expect(rescheduled?.status.code).toBe(SpanStatusCode.UNSET);
    expect(completed?.status.code).toBe(SpanStatusCode.UNSET);
    // All of them are children of the span that stored the job.
    const parents = new Set(attempts.map(({ parentSpanContext }) => parentSpanContext?.spanId));
    expect([...parents]).toEqual([only(sdk, "start task").spanContext().spanId]);
  });

  it("link a start that finds its sequence to the one that made it", async () => {
    const { sdk, queuert } = await openApp();
    const deduplication = { key: "k" };
    const startOnce = () =>
      queuert.transaction((tx) =>
        queuert.startJobSequence({ ...tx, typeName: "task", input: payload, deduplication }),
      );
    await startOnce();
    await startOnce();
    const [made, found] = sdk.spans();
    expect(found?.attributes["queuert.sequence.deduplicated_count"]).toBe(1);
    expect(found?.links[0]?.context.spanId).toBe(made?.spanContext().spanId);
  });

  it("stay with the sequence when it is completed without a worker, linked to the caller", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const { id } = await start("first");
    await inRequest(sdk, () =>
      queuert.transaction((tx) =>
        queuert.completeJobSequence({
          ...tx,
          id,
          typeName: "first",
          complete: ({ job, complete }) => {
            if (job.typeName !== "first") throw new Error("not the first");
            return complete(job, async ({ continueWith }) =>
              continueWith({ typeName: "second", input: payload }),
            );
          },
        }),
      ),
    );
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "second", process: async ({ complete }) => complete(payload) })
      .start(quick);
    await done(id, "first");
    await worker.stop();
    const story = sdk.spans().filter(({ name }) => /first$|second$/.test(name));
    expect(drawSpans(story.filter(({ name }) => !name.startsWith("await")))).toBe(
      ["start first", "  complete first", "    process second", "      settle second"].join("\n"),
    );
    const [link] = only(sdk, "complete first").links;
    expect(link?.context.spanId).toBe(only(sdk, "POST /orders").spanContext().spanId);
  });

  it("are not made where the request was not sampled, in any process", async () => {
    const state = createInProcessStateAdapter();
    const off = createSdk(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
    const starter = await openApp({ state, sdk: off });
    const { id } = await starter.start();
    // This sampler samples every span without a parent.
    const { sdk, queuert, done } = await openApp({ state });
    let seen: number | undefined;
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        process: async ({ complete }) => {
          seen = trace.getActiveSpan()?.spanContext().traceFlags;
          return complete(async () => payload);
        },
      })
      .start(quick);
    await done(id);
    await worker.stop();
    expect(seen).toBe(0);
    expect(off.spans()).toEqual([]);
    expect(sdk.spans().map(({ name }) => name)).toEqual(["await task"]);
    expect(await sdk.value("queuert.job.completed")).toBe(1);
  });

  it("stay unsampled along a sequence, with any sampler of a worker, also in logs", async () => {
    const state = createInProcessStateAdapter();
    const off = createSdk(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
    const { id } = await (await openApp({ state, sdk: off })).start("first");
    const lines: LogEvent[] = [];
    const sdk = createSdk(new AlwaysOnSampler());
    const { queuert, done } = await openApp({ state, sdk, log: (event) => void lines.push(event) });
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "first",
        process: async ({ complete }) =>
          complete.continueWith({ typeName: "second", input: payload }),
      })
      .implementJobType({ typeName: "second", process: async ({ complete }) => complete(payload) })
      .start(quick);
    await done(id, "first");
    await worker.stop();
    expect(sdk.spans().map(({ name }) => name)).toEqual(["await first"]);
    const completed = lines.filter(({ type }) => type === "jobAttemptCompleted");
    expect(completed.map(({ data }) => data["typeName"])).toEqual(["first", "second"]);
    const [first, second] = completed.map(({ data }) => data["trace_id"]);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(completed.map(({ data }) => data["trace_flags"])).toEqual(["00", "00"]);
  });

  it("begin anew for a job stored without a trace, with any active span around the worker", async () => {
    const state = createInProcessStateAdapter();
    await state.createJobs({
      jobs: [
        {
          kind: "entry",
          typeName: "task",
          input: JSON.stringify(payload),
          schedule: null,
          priority: 0,
          awaitsBlockers: false,
          onBlockerFailure: "wait",
          traceContext: "somebody else's",
          rootSequenceId: null,
          originId: null,
          deduplication: null,
        },
      ],
    });
    const { sdk, queuert } = await openApp({ state });
    const worker = await inRequest(sdk, () =>
      queuert
        .createWorker()
        .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
        .start(quick),
    );
    await expect.poll(() => sdk.spans().map(({ name }) => name)).toContain("process task");
    await worker.stop();
    expect(only(sdk, "process task").parentSpanContext).toBeUndefined();
  });

  it("carry baggage when asked to", async () => {
    const seen: (string | undefined)[] = [];
    for (const baggage of [false, true]) {
      const { queuert, start, done } = await openApp({ baggage });
      const worker = await queuert
        .createWorker()
        .implementJobType({
          typeName: "task",
          process: async ({ complete }) => {
            seen.push(propagation.getActiveBaggage()?.getEntry("tenant")?.value);
            return complete(payload);
          },
        })
        .start(quick);
      const carried = propagation.createBaggage({ tenant: { value: "blue, ünd=so" } });
      const { id } = await context.with(propagation.setBaggage(context.active(), carried), () =>
        start(),
      );
      await done(id);
      await worker.stop();
    }
    expect(seen).toEqual([undefined, "blue, ünd=so"]);
  });

  it("mark log lines, each with the trace of its own attempt", async () => {
    const lines: LogEvent[] = [];
    const app = await openApp({ log: (event) => void lines.push(event) });
    const { sdk, queuert } = app;
    const ids = [(await app.start()).id, (await app.start()).id, (await app.start()).id];
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "task", process: async ({ complete }) => complete(payload) })
      .start({ ...quick, concurrency: 3 });
    for (const id of ids) await app.done(id);
    await worker.stop();
    const traceOf = new Map(
      sdk
        .spans()
        .filter(({ name }) => name === "process task")
        .map((span) => [span.attributes["messaging.message.id"], span.spanContext()]),
    );
    const types = ["jobAttemptStarted", "jobAttemptCompleted", "jobCompleted"];
    const about = lines.filter(({ type }) => types.includes(type));
    expect(about).toHaveLength(9);
    for (const { data } of about) {
      const { traceId, spanId } = traceOf.get(String(data["id"])) ?? {};
      expect(data).toMatchObject({ trace_id: traceId, span_id: spanId, trace_flags: "01" });
    }
    expect(JSON.stringify(lines)).not.toContain(payload.secret);
  });
});
