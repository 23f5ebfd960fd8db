// The builder that users see: each call returns a new one, so a worker can be extended and started several times. A started
// worker listens, then acquires; `stop` ends it.
import { settleOrTimeout } from "../async/time-limit.ts";
import type { Engine } from "../engine.ts";
import { limits } from "../defaults.ts";
import { DuplicateJobTypeError, EmptyWorkerError, LimitExceededError } from "../errors.ts";
import type { Middleware, Processor } from "../lifecycle/process-job/processor.ts";
import { runAcquireLoop } from "./acquire-loop.ts";
import { joinRegistry, takeBackLeases } from "./beat-loop.ts";
import type { ProcessOnceResult } from "../public-types/process-once.ts";
import { processOnce } from "./process-once.ts";
import {
  type GivenProcessOnceOptions,
  type ProcessOnceSettings,
  toDrainSettings,
  toProcessOnceSettings,
} from "./process-once-options.ts";
import { retentionLoop } from "./retention-loop.ts";
import { scheduleLoop } from "./schedule-loop.ts";
import { lastStatementMs, stopWorker } from "./stop-worker.ts";
import { assertMiddleware, type ImplementOptions, toProcessor } from "./to-processor.ts";
import { type GivenWorkerOptions, toWorkerOptions, type WorkerOptions } from "./worker-options.ts";
import { createWorkerParts, listen } from "./worker-parts.ts";

/** A running worker: call it, or its `stop`, to end it. */
export type RunningWorker = (() => Promise<void>) & {
  readonly workerId: string;
  readonly stop: () => Promise<void>;
};

export interface WorkerBuilder {
  use(middleware: Middleware): WorkerBuilder;
  implementJobType(options: ImplementOptions): WorkerBuilder;
  start(options?: GivenWorkerOptions): Promise<RunningWorker>;
  processOnce(options: GivenProcessOnceOptions): Promise<ProcessOnceResult>;
  drain(options?: GivenProcessOnceOptions): Promise<ProcessOnceResult>;
}

interface Implemented {
  readonly middleware: readonly Middleware[];
  readonly types: readonly ImplementOptions[];
}

/** The client, which stops its workers when it is closed. */
export interface WorkerOwner {
  /** Throws once the client is closed. */
  assertOpen(): void;
  /** Takes the `stop` of a worker as soon as it begins to start; returns how to forget it. */
  track(stop: () => Promise<void>): () => void;
}

export const createWorker = (
  engine: Engine,
  owner: WorkerOwner,
  parts: Implemented = { middleware: [], types: [] },
): WorkerBuilder => ({
  use: (middleware) => {
    assertMiddleware(middleware);
    return createWorker(engine, owner, {
      ...parts,
      middleware: [...parts.middleware, middleware],
    });
  },
  implementJobType: (options) => {
    const { typeName } = toProcessor(options, []);
    engine.registry.assertKnown(typeName);
    if (parts.types.some((type) => type.typeName === typeName)) {
      throw new DuplicateJobTypeError(typeName);
    }
    assertTypeCount(parts.types.length + 1);
    return createWorker(engine, owner, { ...parts, types: [...parts.types, options] });
  },
  start: async (given = {}) => {
    if (parts.types.length === 0) throw new EmptyWorkerError();
    const options = toWorkerOptions(given, engine.hasNotifyAdapter);
    const { waitForStore } = options;
    const processors = parts.types.map((type) => toProcessor(type, parts.middleware));
    owner.assertOpen();
    engine.implementedTypes.add(parts.types.map(({ typeName }) => typeName));
    const starting = startWorker(engine, processors, options);
    const stopStarted = async (): Promise<void> => (await starting).stop();
    const forget = owner.track(stopStarted);
    const stop = async (): Promise<void> => {
      await stopStarted();
      forget();
    };
    try {
      const { ready } = await starting;
      if (!waitForStore) await ready;
    } catch (error) {
      await stop();
      throw error;
    }
    return Object.assign(() => stop(), { workerId: options.workerId, stop });
  },
  processOnce: async (given) => runOnce(engine, owner, parts, toProcessOnceSettings(given)),
  drain: async (given = {}) => runOnce(engine, owner, parts, toDrainSettings(given)),
});

/** A client that is closed meanwhile ends the call early, and waits for it. */
const runOnce = async (
  engine: Engine,
  owner: WorkerOwner,
  { types, middleware }: Implemented,
  settings: ProcessOnceSettings,
): Promise<ProcessOnceResult> => {
  if (types.length === 0) throw new EmptyWorkerError();
  const processors = types.map((type) => toProcessor(type, middleware));
  owner.assertOpen();
  engine.implementedTypes.add(types.map(({ typeName }) => typeName));
  const closing = new AbortController();
  const running = processOnce(engine, processors, settings, closing.signal);
  const forget = owner.track(async () => {
    closing.abort();
    await running.catch(() => undefined);
  });
  try {
    return await running;
  } finally {
    forget();
  }
};

const assertTypeCount = (count: number): void => {
  if (count <= limits.workerTypesMax) return;
  throw new LimitExceededError({
    field: "jobTypes",
    limit: limits.workerTypesMax,
    actual: count,
    unit: "elements",
    remedy: "divide the job types among several workers",
  });
};

interface StartedWorker {
  /** Resolves when the first acquisition has succeeded, or the worker was stopped; rejects if it failed. */
  readonly ready: Promise<void>;
  /** Resolves when nothing of the worker is left. */
  readonly stop: () => Promise<void>;
}

/** Resolves when the worker listens and acquires. */
const startWorker = async (
  engine: Engine,
  processors: readonly Processor[],
  options: WorkerOptions,
): Promise<StartedWorker> => {
  const parts = createWorkerParts(engine, processors, options);
  const { typeNames } = parts;
  const { workerId, concurrency } = options;
  // Before the first acquisition: a job that becomes due after it is notified.
  const stopListening = await listen(engine, parts);
  if (options.isNamed) await takeBackLeases(engine, workerId);
  engine.observer.emit("workerStarted", () => ({ workerId, typeNames, concurrency }));
  const { connectionsMax = Number.POSITIVE_INFINITY } = engine.state.capabilities;
  if (concurrency > connectionsMax) {
    const data = { workerId, typeNames, concurrency, connectionsMax };
    engine.observer.emit("workerLacksConnections", () => data);
  }
  parts.gauges.open();
  const acquiring = runAcquireLoop(engine, parts);
  const retaining = retentionLoop(engine, parts);
  const leaveRegistry = joinRegistry(engine, parts);
  const scheduling = scheduleLoop(engine, parts);

  const end = async (): Promise<void> => {
    const statements = Promise.all([retaining, scheduling, parts.storeClock.stopped()]);
    await Promise.all([
      settleOrTimeout(engine.clock, statements, lastStatementMs),
      stopListening(),
      leaveRegistry(),
    ]);
    parts.gauges.close();
  };
  let stopped: Promise<void> | null = null;
  let onStopped: () => void = () => undefined;
  const whenStopped = new Promise<void>((resolve) => {
    onStopped = resolve;
  });
  const ready = Promise.race([acquiring.first, whenStopped]);
  // A start that does not wait for its store has no reader.
  ready.catch(() => undefined);
  return {
    ready,
    stop: () => (stopped ??= stopWorker(engine, parts, acquiring.ended, end).finally(onStopped)),
  };
};
