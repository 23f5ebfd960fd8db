// The builder that users see: each call returns a new one, so a worker can be extended and started several times.
import { loadOnce } from "../async/load-once.ts";
import type { Engine } from "../engine.ts";
import { limits } from "../defaults.ts";
import {
  DuplicateJobTypeError,
  EmptyWorkerError,
  InvalidOptionError,
  LimitExceededError,
} from "../errors.ts";
import type { GivenMiddleware } from "../lifecycle/process-job/processor.ts";
import { assertObject } from "../model/assert-option.ts";
import type { ProcessOnceResult } from "../public-types/process-once.ts";
import {
  type GivenProcessOnceOptions,
  toDrainSettings,
  toProcessOnceSettings,
} from "./process-once-options.ts";
import { type Implemented, runOnce, type WorkerOwner } from "./run-once.ts";
import {
  assertMiddleware,
  type Implementation,
  type ImplementBatchOptions,
  type ImplementOptions,
  toProcessor,
} from "./to-processor.ts";
import { type GivenWorkerOptions, toWorkerOptions } from "./worker-options.ts";

/** A running worker: call it, or its `stop`, to end it. */
export type RunningWorker = (() => Promise<void>) & {
  readonly workerId: string;
  readonly stop: () => Promise<void>;
};

export interface WorkerBuilder {
  use(middleware: GivenMiddleware): WorkerBuilder;
  implementJobType(options: ImplementOptions): WorkerBuilder;
  implementJobTypeBatch(options: ImplementBatchOptions): WorkerBuilder;
  start(options?: GivenWorkerOptions): Promise<RunningWorker>;
  processOnce(options: GivenProcessOnceOptions): Promise<ProcessOnceResult>;
  drain(options?: GivenProcessOnceOptions): Promise<ProcessOnceResult>;
}

const loadParts = loadOnce(() => import("./worker-parts.ts"));

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
    // The option of the other method, which has another process function.
    assertObject(options, "options");
    if ("batch" in options) {
      throw new InvalidOptionError("batch", options.batch, "use `implementJobTypeBatch`");
    }
    return createWorker(engine, owner, withType(engine, parts, options));
  },
  implementJobTypeBatch: (options) => {
    assertObject(options, "options");
    const given = { ...options, batch: options.batch };
    return createWorker(engine, owner, withType(engine, parts, given));
  },
  start: async (given = {}) => {
    if (parts.types.length === 0) throw new EmptyWorkerError();
    const options = toWorkerOptions(given, engine.hasNotifyAdapter);
    const { waitForStore } = options;
    const processors = parts.types.map((type) => toProcessor(type, parts.middleware));
    owner.assertOpen();
    engine.implementedTypes.add(parts.types.map(({ typeName }) => typeName));
    // A process that only starts jobs does not load it. A client that is closed meanwhile stops the worker.
    const starting = loadParts().then(({ startWorker }) =>
      startWorker(engine, processors, options),
    );
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

const withType = (engine: Engine, parts: Implemented, options: Implementation): Implemented => {
  const { typeName } = toProcessor(options, []);
  engine.registry.assertSignal(typeName, false);
  if (parts.types.some((type) => type.typeName === typeName)) {
    throw new DuplicateJobTypeError(typeName);
  }
  assertTypeCount(parts.types.length + 1);
  return { ...parts, types: [...parts.types, options] };
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
