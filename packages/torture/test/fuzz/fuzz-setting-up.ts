// The options given once, when an application starts. They are refused with a reason, or good
// enough to work with and to stop.
import fc from "fast-check";
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createQueuert,
  QueuertError,
} from "queuert";
import { expect } from "vitest";
import { type AnyQueuert, jobTypes } from "./doors.ts";
import { anyValue, spoilt } from "./values.ts";

interface Runs {
  readonly seed: number;
  readonly numRuns: number;
}

const expectTyped = async (run: () => Promise<void>): Promise<void> => {
  try {
    await run();
  } catch (error) {
    expect(error).toBeInstanceOf(QueuertError);
  }
};

const sound = {
  implement: {
    ...{ typeName: "plain", timeoutMs: 1_000, concurrency: 2 },
    process: () => Promise.resolve(),
    retryConfig: {
      initialDelayMs: 1,
      multiplier: 2,
      maxDelayMs: 5,
      jitter: "full",
      maxAttempts: 3,
    },
    leaseConfig: { leaseMs: 1_000, renewIntervalMs: 500 },
    middleware: [(_context: unknown, next: () => unknown) => next()],
  },
  start: {
    ...{ workerId: "w", concurrency: 2, pollIntervalMs: 1_000, prefetch: 1, reapIntervalMs: 1_000 },
    ...{ shutdownGraceMs: 10, shutdownTimeoutMs: 20 },
  },
};

const anyOptions = {
  ...{ stateAdapter: createInProcessStateAdapter(), jobTypeDefinitions: jobTypes },
  ...{ notifyAdapter: createInProcessNotifyAdapter(), observabilityAdapter: {} },
  log: (): void => undefined,
};

const openQueuert = async (): Promise<AnyQueuert> =>
  (await createQueuert({ ...anyOptions })) as unknown as AnyQueuert;

interface AnyBuilder {
  readonly implementJobType: (options: unknown) => AnyBuilder;
  readonly start: (options: unknown) => Promise<() => Promise<void>>;
}

export const fuzzWorker = async (runs: Runs): Promise<void> => {
  const queuert = await openQueuert();
  const create = queuert["createWorker"] as unknown as () => AnyBuilder;
  const options = fc.oneof(
    fc.tuple(spoilt(sound.implement), fc.constant(sound.start)),
    fc.tuple(fc.constant(sound.implement), spoilt(sound.start)),
  );
  await fc.assert(
    fc.asyncProperty(options, async ([implement, start]) => {
      await expectTyped(async () => {
        const stop = await create().implementJobType(implement).start(start);
        await stop();
      });
    }),
    runs,
  );
  await queuert.close();
};

export const fuzzCreation = (runs: Runs): Promise<void> =>
  fc.assert(
    fc.asyncProperty(spoilt(anyOptions), async (options) => {
      await expectTyped(async () => (await createQueuert(options as never)).close());
    }),
    runs,
  );

/** Calls that take a callback and nothing else. */
export const fuzzCallback = async (name: string, runs: Runs): Promise<void> => {
  const queuert = await openQueuert();
  await fc.assert(
    fc.asyncProperty(anyValue, async (callback) => {
      await expectTyped(async () => void (await queuert[name]?.(callback)));
    }),
    runs,
  );
  await queuert.close();
};
