// The client of a test: the engine of every client, over a store whose time can pass, with faults on demand.
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { assertNotInProduction, type TimeTravel } from "../adapters/time-travel.ts";
import { engineOf } from "../client-engine.ts";
import type { InProcessStateAdapter } from "../in-process/database.ts";
import type { StartedReader } from "./expectations.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import {
  assertFunction,
  assertInteger,
  assertMethods,
  assertObject,
} from "../model/assert-option.ts";
import type { Log } from "../observe/log.ts";
import { type AnyAdapter, createQueuertWith } from "../queuert.ts";
import { type DrainParts, drainAndSkip, passTime, runOne } from "./drain.ts";
import { toMs } from "./duration.ts";
import { createFaultMethods } from "./fault-methods.ts";
import { Faults } from "./faults.ts";
import { drawGraph } from "./graph.ts";
import { Journal } from "./journal.ts";
import { createLossyNotifications } from "./lossy-notifications.ts";
import { refuseStrangers } from "./refuse-strangers.ts";
import { listStarted, newestOrdinal } from "./started.ts";
import type {
  DrainResult,
  RunNextResult,
  TestDrainOptions,
  TestMethods,
  TestQueuert,
  TestQueuertOptions,
} from "./test-queuert.ts";
import {
  createInProcessVirtualStore,
  createVirtualStore,
  type VirtualStore,
} from "./virtual-time.ts";
import { listWaiting } from "./waiting.ts";

/**
 * Creates a client for a test. Its workers run only in `drain`, `run` and `runNext`, and its time passes only when it is
 * skipped. Without a `stateAdapter` the jobs are in the memory of the process.
 *
 * @example
 * ```ts
 * const test = await createTestQueuert({ jobTypeDefinitions: jobTypes, workers: [createReportWorker] });
 * await test.queuert.startJobSequence({ autocommit: true, typeName: "report", input: null });
 * await test.drain({ skipTime: { days: 30 } });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION, QUEUERT_TEST_TIME_TRAVEL
 */
export const createTestQueuert = async <
  TDefinitions,
  TStateAdapter extends AnyAdapter = InProcessStateAdapter,
>(
  options: TestQueuertOptions<TDefinitions, TStateAdapter>,
): Promise<TestQueuert<TDefinitions, TStateAdapter>> => {
  assertNotInProduction("createTestQueuert");
  assertObject(options, "options");
  const { stateAdapter, timeTravel, workers = [], concurrency = 1, ...others } = options;
  assertInteger(concurrency, "concurrency", { min: 1, max: 1_000 });
  if (!Array.isArray(workers)) assertFunction(workers, "workers");
  for (const make of workers) assertFunction(make, "workers");
  const store = openStore(stateAdapter, timeTravel);
  const faults = new Faults();
  const journal = new Journal(({ id, leaseVersion }) =>
    faults.hasCrashed({ jobId: id, leaseVersion }),
  );
  const notifications = createLossyNotifications();
  const queuert = await createQueuertWith(
    {
      log: silent,
      ...others,
      // The same adapter to its users: the contract is that of the given one.
      stateAdapter: faults.wrap(store.stateAdapter) as unknown as TStateAdapter,
      observabilityAdapter: journal.observe(options.observabilityAdapter),
    },
    // Without chance: delays with jitter are the same in each run.
    { random: () => 0.5, wrapNotifier: notifications.wrap },
  );
  const engine = engineOf(queuert);
  const made = workers.map((make) => make(queuert));
  for (const worker of made) {
    const remedy = "return the result of `createWorker()` with its job types, not started";
    assertMethods(worker, "workers", ["use", "drain"], remedy);
  }
  const parts: Parts = {
    ...{ engine, store, faults, journal, concurrency },
    workers: made.map((worker) => worker.use(faults.middleware)),
    since: await newestOrdinal(engine),
  };
  const methods = {
    ...createRuns(parts, queuert as unknown as UntypedClient),
    ...createFaultMethods(faults),
    loseNotifications: notifications.lose,
    close: () => (queuert as unknown as UntypedClient).close(),
  };
  // The one cast of the kit: unknown payloads and plain ids become the user's types.
  return { queuert, ...methods } as unknown as TestQueuert<TDefinitions, TStateAdapter>;
};

const silent: Log = Object.assign(() => undefined, { minimumLevel: "error" as const });

const openStore = (
  stateAdapter: object | undefined,
  timeTravel: TimeTravel | undefined,
): VirtualStore => {
  if (timeTravel !== undefined) {
    const remedy = "give the result of `createPgTimeTravel`, or that of another store";
    assertMethods(timeTravel, "timeTravel", ["shiftTimes"], remedy);
  }
  if (stateAdapter === undefined) return createInProcessVirtualStore();
  const remedy = "give a state adapter, or leave it out";
  assertMethods(stateAdapter, "stateAdapter", ["createJobs"], remedy);
  const inner = stateAdapter as AnyStateAdapter;
  const store = createVirtualStore(inner, timeTravel);
  return {
    ...store,
    pass: async (ms) => {
      await refuseStrangers(inner);
      await store.pass(ms);
    },
  };
};

interface Parts extends DrainParts {
  readonly journal: Journal;
  /** The newest job before the test. */
  readonly since: number | null;
}

/** The client as the kit calls it. */
interface UntypedClient {
  startJobSequence(options: object): Promise<{ readonly id: string }>;
  getJobSequence(options: { readonly id: string }): Promise<unknown>;
  getJob(options: { readonly id: string }): Promise<unknown>;
  close(): Promise<void>;
}

type UntypedMethods = TestMethods<Readonly<Record<string, unknown>>, object, string>;

const createRuns = (
  parts: Parts,
  client: UntypedClient,
): Pick<UntypedMethods, "drain" | "advance" | "now" | "graph"> & {
  readonly runNext: (typeName?: string) => Promise<RunNextResult<unknown> | undefined>;
  readonly run: (options: object, drainOptions?: TestDrainOptions) => Promise<unknown>;
} & StartedReader => {
  const { engine, store, faults, journal, since } = parts;
  const drain = (options: TestDrainOptions = {}): Promise<DrainResult> => drainAll(parts, options);
  return {
    drain,
    runNext: async (typeName) => {
      if (typeName !== undefined) engine.registry.assertKnown(typeName);
      const before = journal.attempts.length;
      faults.onlyType = typeName ?? null;
      try {
        await runOne(parts);
      } finally {
        faults.onlyType = null;
      }
      const [attempt] = journal.attempts.slice(before);
      if (attempt === undefined) return undefined;
      return { ...attempt, job: await client.getJob({ id: attempt.jobId }) };
    },
    run: async (options, drainOptions) => {
      assertObject(options, "options");
      const { id } = await client.startJobSequence({ ...options, autocommit: true });
      await drain(drainOptions);
      return client.getJobSequence({ id });
    },
    advance: (duration) => passTime(parts, toMs(duration, "duration")),
    now: () => store.now(),
    started: (typeName?: string) => listStarted(engine, typeName, since),
    graph: (sequenceId) => drawGraph(engine, sequenceId),
  };
};

const drainAll = async (parts: Parts, options: TestDrainOptions): Promise<DrainResult> => {
  assertObject(options, "options");
  assertKnownOptions(options, ["skipTime", "throwErrors"]);
  const { skipTime = 0, throwErrors = true } = options;
  const { engine, store, journal, since } = parts;
  const skipMs = toMs(skipTime, "skipTime");
  const before = journal.attempts.length;
  journal.errors.clear();
  const skippedMs = await drainAndSkip(parts, skipMs);
  if (throwErrors) throwFirst([...journal.errors.values()]);
  const attempts = journal.attempts.slice(before);
  const count = (...outcomes: readonly string[]): number =>
    attempts.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    completed: count("completed", "continued"),
    retried: count("retried"),
    failed: count("failed"),
    skippedMs,
    attempts,
    waiting: await listWaiting(engine, since, await store.now()),
  };
};

const throwFirst = (errors: readonly unknown[]): void => {
  const [first] = errors;
  if (errors.length === 1) throw first;
  if (errors.length > 1) {
    throw new AggregateError(
      errors,
      `${errors.length} jobs have thrown. The first: ${String(first)}`,
    );
  }
};
