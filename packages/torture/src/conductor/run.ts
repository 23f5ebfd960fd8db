// One run on real servers and in real processes: load and faults, then healing, then quiet, and then the judgement.
import { setTimeout as sleep } from "node:timers/promises";
import { check } from "../checker/check.ts";
import type { History, HistoryEntry, Violation } from "../checker/history.ts";
import { LeaseWatch } from "../checker/lease-watch.ts";
import { RetentionWatch } from "../checker/retention-watch.ts";
import { leaseMs, pollIntervalMs, retentionMs } from "../child/protocol.ts";
import { maxAttempts } from "../load/run-plan.ts";
import type { NotifyName } from "../notify/transport.ts";
import { createRandom } from "../random.ts";
import { loadStore } from "../stores/index.ts";
import type { OpenStore, StoreName } from "../stores/store.ts";
import { assertCounting, countLeft } from "./count-connections.ts";
import { Processes } from "./processes.ts";
import { drawFaults, type PlannedFault } from "./fault-plan.ts";
import { injectFaults, type Surroundings } from "./inject-faults.ts";
import { keepLooking } from "./keep-looking.ts";
import { readLogs } from "./read-logs.ts";
import { startServices } from "./services.ts";
import { describeUnfinished, untilQuiet } from "./until-quiet.ts";

export interface RunOptions {
  readonly store: StoreName;
  readonly notify: NotifyName;
  readonly seed: number;
  readonly loadMs: number;
  readonly workerCount?: number;
  readonly starterCount?: number;
  /** How long a starter waits between two starts, at most. */
  readonly pauseMs?: number;
  /** Instead of those drawn from the seed: for shrinking. */
  readonly faults?: readonly PlannedFault[];
  /** Whether durations are judged. On a machine that other programs keep busy they are not. */
  readonly isTimed?: boolean;
}

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly planned: readonly PlannedFault[];
  readonly history: History;
  /** From the end of the faults until everything had ended. */
  readonly quietAfterMs: number;
  readonly errors: readonly { readonly doing: string; readonly error: string }[];
}

/** Every worker reaps once a poll; a claim that fails, or waits for a driver's timeout, is made again; and some air. */
const recoveryMs = 2 * pollIntervalMs + 6_000;

/**
 * The time a driver waits for an answer, and a little more. MongoDB keeps the locks of a transaction whose client it has
 * lost until the transaction's lifetime is over.
 */
const claimsMs: Readonly<Record<StoreName, number>> = {
  ...{ postgres: 5_000, sqlite: 5_000, mongodb: 12_000 },
};

/**
 * SQLite has one writer, and a handler that hangs in a transaction keeps it. Started jobs have to
 * be finished some day.
 */
const pausesMs: Readonly<Record<StoreName, number>> = { postgres: 120, sqlite: 700, mongodb: 120 };

/** MongoDB creates with several commands, between which a wire can be cut and a driver can wait; the others with one. */
const creationMs: Readonly<Record<StoreName, number>> = { postgres: 0, sqlite: 0, mongodb: 10_000 };

/** Their clocks are the same; stored instants are whole milliseconds. */
const toleranceMs = 5;

const epochOffsetMs = (): number => Date.now() - Number(process.hrtime.bigint()) / 1e6;

type Judged = Omit<RunResult, "planned">;

export const run = async (options: RunOptions): Promise<RunResult> => {
  const { store: storeName, notify, seed, loadMs } = options;
  const { pauseMs = pausesMs[storeName] } = options;
  const random = createRandom(seed);
  const planned = options.faults ?? drawFaults(random, storeName, notify, loadMs);
  const offset = epochOffsetMs();
  const now = (): number => Number(process.hrtime.bigint()) / 1e6 + offset;
  const services = await startServices(storeName, notify);
  const { directStoreUrl, storeUrl, notifyUrl, folder } = services;
  const common = { store: storeName, storeUrl, notify, notifyUrl, epochOffsetMs: offset, pauseMs };
  const processes = new Processes(common, random, folder);
  try {
    const kind = await loadStore(storeName);
    await kind.prepare(directStoreUrl);
    const store = await kind.open(directStoreUrl, 5);
    try {
      const surroundings = { store: storeName, services, processes, now };
      return { planned, ...(await conduct(options, surroundings, store, planned)) };
    } finally {
      await store.close();
    }
  } finally {
    await processes.kill();
    await services.close();
  }
};

const conduct = async (
  { workerCount = 3, starterCount = 2, loadMs, isTimed = true }: RunOptions,
  surroundings: Surroundings,
  store: OpenStore,
  planned: readonly PlannedFault[],
): Promise<Judged> => {
  const { services, processes, now } = surroundings;
  await processes.startAll({ worker: workerCount, starter: starterCount });
  const [leases, retentions] = [new LeaseWatch(), new RetentionWatch()];
  const lookings = [
    keepLooking(() => leases.look(store.state, now), 250),
    keepLooking(() => retentions.look(store.state, now), 3_000),
  ];
  const [faults] = await Promise.all([injectFaults(surroundings, planned), sleep(loadMs)]);
  for (const reached of [services.store, services.notify]) await reached?.proxy.heal();
  for (const child of processes.all) child.tell({ do: "repair" });
  const troubles = [...(await processes.stopStarting())];
  const own: HistoryEntry[] = [];
  const quietAfterMs = await untilQuiet(store, (entry) => own.push(entry), now);
  for (const looking of lookings) await looking.stop();
  await assertCounting(
    store,
    processes.named.filter(({ isAlive }) => isAlive),
  );
  troubles.push(...(await processes.close()));
  own.push(...(await countLeft(store, processes.named, now)));
  troubles.push(...(await processes.end()));

  await retentions.look(store.state, now);
  const { entries, errors } = readLogs(processes.logPaths);
  const all = [...entries, ...own];
  const history: History = {
    entries: all.toSorted((one, other) => one.at - other.at),
    rows: await store.readRows(),
    ...retentions.seen(all),
    ...{
      faults,
      leases: leases.leases,
      now: now(),
      maxAttempts,
      workerCount,
      leaseMs,
      retentionMs,
    },
    creationMs: creationMs[surroundings.store],
    claimMs: claimsMs[surroundings.store],
    ...{ toleranceMs, recoveryMs: isTimed ? recoveryMs : Number.POSITIVE_INFINITY },
  };
  const violations: readonly Violation[] = [
    ...check(history),
    ...troubles.map((detail) => ({ rule: "no process crashes, and each stops", detail })),
    ...(Number.isFinite(quietAfterMs)
      ? []
      : [{ rule: "all is quiet in time", detail: describeUnfinished(history) }]),
  ];
  return { violations, history, quietAfterMs, errors };
};
