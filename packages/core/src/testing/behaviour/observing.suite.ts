import { expect } from "vitest";
import type { QueuertEventType } from "../../adapters/events.ts";
import type { ObservabilityAdapter } from "../../adapters/observability-adapter.ts";
import { eventually } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { createEventRecorder } from "./event-recorder.ts";
import { interceptState, StateFault } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

/** Text of everything that was observed and logged, errors with their messages and causes included. */
const textOf = (parts: readonly unknown[]): string =>
  JSON.stringify(parts, (_key, value: unknown) =>
    value instanceof Error
      ? {
          ...value,
          name: value.name,
          message: value.message,
          stack: value.stack,
          cause: value.cause,
        }
      : value,
  );

export const observingSuite: BehaviourSuite = defineBehaviourSuite("observing", (rule) => {
  rule("a sequence's events come in the order of its walk", async ({ open }) => {
    const client = await open();
    const first = await client.start("first");
    const worker = await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
      next: async ({ complete }) => complete(async () => null),
    });
    await client.until(first);
    // Emitted once the result of the store is here. A query of the store may see it earlier.
    await eventually(
      () => Promise.resolve(client.events.of("jobSequenceCompleted")[0]),
      "the last event of the walk",
    );
    await worker.stop();
    const notWalk: readonly QueuertEventType[] = ["jobAttemptLeaseRenewed"];
    const walk = client.events.all
      .map(({ type }) => type)
      .filter((type) => !notWalk.includes(type));
    expect(walk).toEqual([
      "jobCreated",
      "jobSequenceCreated",
      "workerStarted",
      "jobAttemptStarted",
      "jobAttemptCompleted",
      "jobCompleted",
      "jobCreated",
      "jobAttemptStarted",
      "jobAttemptCompleted",
      "jobCompleted",
      "jobSequenceCompleted",
      "workerStopping",
      "workerStopped",
    ]);
    const [job, next] = client.events.of("jobCompleted");
    expect(job).toMatchObject({ id: first.id, typeName: "first", continuedToId: next?.id });
    expect(next).toMatchObject({ sequenceId: first.id, continuedToId: null });
    for (const { durationMs } of client.events.of("jobCompleted")) {
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
  });

  rule("events of a transaction come after its commit", async ({ open, stateAdapter }) => {
    const client = await open();
    const seen: string[] = [];
    const watching = await open({
      stateAdapter: interceptState(stateAdapter, {
        beforeCommit: () => {
          seen.push(...watchingEvents.all.map(({ type }) => type));
        },
      }),
      observabilityAdapter: {},
      log: () => undefined,
    });
    const watchingEvents = watching.events;
    await watching.start("task");
    expect(seen).toEqual([]);
    const blocker = await client.start("task");
    const waiting = await client.start("waiting", {
      startBlockers: () => Promise.resolve([blocker]),
    });
    const states: unknown[] = [];
    const { adapter } = createEventRecorder();
    const told = await open({
      observabilityAdapter: {
        ...adapter,
        // A query made during an event finds the change that the event reports.
        jobCompleted: ({ id }) => states.push(client.job({ id }).then(({ status }) => status)),
        jobUnblocked: ({ id }) =>
          states.push(client.job({ id }).then(({ status }) => status !== "blocked")),
      },
    });
    await told.work({
      task: async ({ complete }) => complete(async () => null),
      waiting: async ({ complete }) => complete(null),
    });
    await client.until(waiting);
    const found = await Promise.all(states);
    expect(found.filter((state) => state !== "completed" && state !== true)).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(3);
  });

  rule("gauges balance to zero when workers have stopped, after any outcome", async (context) => {
    const { open, gate, stateAdapter } = context;
    let isCutOff = true;
    const cutOff = interceptState(stateAdapter, {
      before: (operation) => {
        if (operation === "renewLeases" && isCutOff) throw new StateFault("cut off");
      },
    });
    const client = await open({ stateAdapter: cutOff });
    const held = gate();
    const lost = await client.start("other");
    const started = await Promise.all(
      Array.from({ length: 6 }, (_, input) => client.start("task", { input })),
    );
    const worker = await client.work({
      task: {
        retryConfig: { maxAttempts: 2, initialDelayMs: 1 },
        timeoutMs: 5_000,
        process: async ({ job, complete }) => {
          if (job.input === 0) throw new Error("broken");
          if (job.input === 1) return complete(() => Promise.reject(new Error("in the callback")));
          return complete(null);
        },
      },
      other: {
        concurrency: 2,
        leaseConfig: { leaseMs: 60, renewIntervalMs: 20 },
        process: async ({ job, complete }) => {
          if (job.leaseVersion === 1) await held.pass();
          return complete(job.leaseVersion);
        },
      },
    });
    expect(client.events.gauges()["idle other"]).toBeDefined();
    await held.arrived();
    const second = await open();
    await second.work({ other: async ({ job, complete }) => complete(job.leaseVersion) });
    await second.until(lost);
    isCutOff = false;
    held.open();
    for (const [index, one] of started.entries()) {
      await client.until(one, index < 2 ? "failed" : "completed");
    }
    await eventually(
      () => Promise.resolve(client.events.gauges()["processing other"] === undefined || undefined),
      "the zombie's end",
    );
    // Idle gauges are emitted once in a turn of the event loop.
    await eventually(
      () => Promise.resolve(client.events.gauges()["idle task"] === 10 || undefined),
      "the gauges of an idle worker",
    );
    expect(client.events.gauges()).toEqual({ "idle task": 10, "idle other": 2 });
    await worker.stop();
    expect(client.events.gauges()).toEqual({});
  });

  rule("no payload appears in any event, log line or error of the library", async ({ open }) => {
    const client = await open();
    const secret = "s3cret-payload";
    const completed = await client.start("first", { input: { secret } });
    const failed = await client.start("task", { input: { secret }, deduplication: { key: "k" } });
    await client.start("task", { input: { secret }, deduplication: { key: "k" } });
    const bad = { secret, [secret]: Symbol("bad") } as never;
    const errors: unknown[] = [
      await rejection(client.start("task", { input: [secret, Symbol("bad")] as never })),
      await rejection(client.start("task", { schedule: secret as never })),
    ];
    const worker = await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: { secret } }),
      next: async ({ complete }) => complete({ secret }),
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) => complete({ nested: [bad] } as never),
      },
    });
    await client.until(completed);
    await client.until(failed, "failed");
    await worker.stop();
    const rest = errors.slice(0, 1);
    expect(textOf([client.events.all, client.events.logged, rest])).not.toContain(`"${secret}"`);
    expect(client.events.logged.length).toBeGreaterThan(10);
  });

  rule("every event is logged, with a level and a sentence", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: () => Promise.reject(new Error("broken")),
      },
    });
    await client.until(started, "failed");
    await client.events.until("jobSequenceFailed");
    expect(client.events.logged.map(({ type }) => type)).toEqual(
      client.events.all.map(({ type }) => type),
    );
    const failure = client.events.logged.find(({ type }) => type === "jobAttemptFailed");
    expect(failure).toMatchObject({ level: "warn", error: { message: "broken" } });
    for (const { message } of client.events.logged) expect(message).not.toBe("");
  });

  rule("a log and an observability adapter that throw affect no job", async ({ open }) => {
    const boom = (): never => {
      throw new Error("observer broken");
    };
    const throwing = Object.fromEntries(
      createEventRecorderTypes().map((type) => [type, boom]),
    ) as ObservabilityAdapter;
    const client = await open({
      log: boom,
      observabilityAdapter: {
        ...throwing,
        jobTypeIdleChange: boom,
        jobTypeProcessingChange: boom,
        logAttributes: boom,
        startSpan: boom,
      },
    });
    const started = await client.start("task");
    await client.work({ task: async ({ complete }) => complete(async () => "out") });
    expect(await client.until(started)).toMatchObject({ output: "out" });
  });

  rule("a log and an observability adapter that reject affect no job", async ({ open }) => {
    const reject = (): never => Promise.reject(new Error("observer broken")) as never;
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => {
      unhandled.push(error);
    };
    process.on("unhandledRejection", onUnhandled);
    try {
      const client = await open({
        log: reject,
        observabilityAdapter: { jobCreated: reject, jobTypeIdleChange: reject },
      });
      const started = await client.start("task");
      const worker = await client.work({ task: async ({ complete }) => complete("out") });
      expect(await client.until(started)).toMatchObject({ output: "out" });
      await worker.stop();
    } finally {
      process.off("unhandledRejection", onUnhandled);
    }
    expect(unhandled).toEqual([]);
  });

  rule("a span that throws affects no job", async ({ open }) => {
    const boom = (): never => {
      throw new Error("span broken");
    };
    for (const broken of ["run", "end", "traceContext"] as const) {
      const span = {
        run: <T>(callback: () => T): T => callback(),
        end: () => undefined,
        traceContext: () => null,
      };
      const client = await open({
        observabilityAdapter: { startSpan: () => ({ ...span, [broken]: boom }) },
      });
      const byValue = await client.start("first");
      const worker = await client.work({
        first: async ({ prepare, complete }) => {
          await prepare({ mode: "staged" }, () => undefined);
          return complete.continueWith({ typeName: "next", input: null });
        },
        next: async ({ complete }) => complete(async () => "out"),
      });
      expect(await client.until(byValue)).toMatchObject({ output: "out" });
      await worker.stop();
    }
  });

  rule("a trace goes on from the start of a sequence through its jobs", async ({ open }) => {
    const attempts: unknown[] = [];
    let count = 0;
    const client = await open({
      observabilityAdapter: {
        startSpan: (description) => {
          if (description.kind === "attempt") {
            attempts.push([description.job.typeName, description.traceContext]);
          }
          count += 1;
          const name = `${description.kind}-${count}`;
          return {
            run: (callback) => callback(),
            end: () => undefined,
            traceContext: () => (description.kind === "startSequences" ? "the start" : name),
          };
        },
      },
    });
    const first = await client.start("first");
    await client.work({
      first: async ({ complete }) => complete.continueWith({ typeName: "next", input: null }),
      next: async ({ complete }) => complete(null),
    });
    await client.until(first);
    expect(attempts).toEqual([
      ["first", "the start"],
      ["next", expect.stringMatching(/^attempt-/)],
    ]);
  });

  rule("work that was rolled back in a handler emits no event", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete }) =>
          complete(async (tx) => {
            await client.startIn(tx, "other");
            throw new Error("rolled back");
          }),
      },
    });
    await client.until(started, "failed");
    await client.events.until("jobSequenceFailed");
    const created = client.events.of("jobCreated").map(({ typeName }) => typeName);
    expect(created).toEqual(["task"]);
    expect(client.events.of("notifyContextAbsence")).toEqual([]);
  });
});

const createEventRecorderTypes = (): string[] =>
  Object.keys(createEventRecorder().adapter).filter((name) => !name.startsWith("jobType"));
