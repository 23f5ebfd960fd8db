// A small application on the in-process adapters, observed by a real SDK.
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createQueuert,
  type Log,
  type NotifyAdapter,
} from "queuert";
import { onTestFinished } from "vitest";
import { createOtelObservabilityAdapter } from "../src/index.ts";
import { jobTypes } from "./job-types.ts";
import { createSdk, type Sdk } from "./sdk.ts";

export type State = ReturnType<typeof createInProcessStateAdapter>;

export interface AppOptions {
  readonly sdk?: Sdk;
  readonly state?: State;
  readonly notifyAdapter?: NotifyAdapter;
  readonly log?: Log;
  readonly baggage?: boolean;
}

const silent: Log = Object.assign(() => undefined, { minimumLevel: "error" as const });

/** Nothing that is observed may hold it. */
export const payload = { secret: "s3cr3t-payload" } as const;

export const openApp = async (options: AppOptions = {}) => {
  const { sdk = createSdk(), state = createInProcessStateAdapter(), log = silent } = options;
  const { notifyAdapter = createInProcessNotifyAdapter(), baggage } = options;
  const { meter, tracer } = sdk;
  const observabilityAdapter = createOtelObservabilityAdapter({ meter, tracer, baggage });
  const queuert = await createQueuert({
    stateAdapter: state,
    notifyAdapter,
    jobTypeDefinitions: jobTypes,
    observabilityAdapter,
    log,
  });
  onTestFinished(() => queuert.close());
  const start = (typeName: "task" | "first" = "task") =>
    queuert.transaction((tx) => queuert.startJobSequence({ ...tx, typeName, input: payload }));
  const done = (id: string, typeName: "task" | "first" | "waiting" = "task") =>
    queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 10_000, pollIntervalMs: 5 });
  return { sdk, state, queuert, start, done };
};

/** For workers: quick to look, quick to stop. */
export const quick = {
  workerId: "w1",
  concurrency: 2,
  pollIntervalMs: 20,
  shutdownGraceMs: 20,
  shutdownTimeoutMs: 1_000,
} as const;
