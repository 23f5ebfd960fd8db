// The builder that users see: each call returns a new one, so a worker can be extended and started several times.
import type { Engine } from "../engine.ts";
import { limits } from "../defaults.ts";
import { DuplicateJobTypeError, EmptyWorkerError, LimitExceededError } from "../errors.ts";
import type { Middleware } from "../lifecycle/process-job/processor.ts";
import { startWorker } from "./start-worker.ts";
import { assertMiddleware, type ImplementOptions, toProcessor } from "./to-processor.ts";
import { type GivenWorkerOptions, toWorkerOptions } from "./worker-options.ts";

/** A running worker: call it, or its `stop`, to end it. */
export type RunningWorker = (() => Promise<void>) & {
  readonly workerId: string;
  readonly stop: () => Promise<void>;
};

export interface WorkerBuilder {
  use(middleware: Middleware): WorkerBuilder;
  implementJobType(options: ImplementOptions): WorkerBuilder;
  start(options?: GivenWorkerOptions): Promise<RunningWorker>;
}

interface WorkerParts {
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
  parts: WorkerParts = { middleware: [], types: [] },
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
});

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
