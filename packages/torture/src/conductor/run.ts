// One run on real servers and in real processes: load and faults, then healing, then quiet, and then the judgement.
import { setTimeout as sleep } from "node:timers/promises";
import type { History, HistoryEntry, Violation } from "../checker/history.ts";
import { LeaseWatch } from "../checker/lease-watch.ts";
import { permitsLeftIn } from "../checker/permits-left.ts";
import { RetentionWatch } from "../checker/retention-watch.ts";
import { leaseMs, pollIntervalMs, retentionMs } from "../child/protocol.ts";
import { controlTypeNames, treeTypeNames } from "../load/control-types.ts";
import { maxAttempts } from "../load/run-plan.ts";
import type { NotifyName } from "../notify/transport.ts";
import { createRandom } from "../random.ts";
import { loadStore } from "../stores/index.ts";
import type { StoreName } from "../stores/store.ts";
import { assertCounting, countLeft } from "./count-connections.ts";
import { concurrencyMax, Processes } from "./processes.ts";
import { drawFaults, keepsAll, type PlannedFault, type Setup } from "./fault-plan.ts";
import { injectFaults, type Injected, type Surroundings } from "./inject-faults.ts";
import { keepLooking, type Looking } from "./keep-looking.ts";
import { type Operated, operateSchedules } from "./operate-schedules.ts";
import { readLogs } from "./read-logs.ts";
import { withoutForgotten } from "./forget.ts";
import { startServices } from "./services/services.ts";
import { triggerStranded } from "./trigger-stranded.ts";
import { judge } from "./judge.ts";
import { untilQuiet } from "./until-quiet.ts";

export interface RunOptions {
  readonly store: StoreName;
  readonly notify: NotifyName;
  readonly seed: number;
  readonly loadMs: number;
  readonly workerCount?: number;
  readonly starterCount?: number;
  /** Default: `plain`. */
  readonly setup?: Setup;
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

/** The conductor's way to the store has no faults. On a busy machine the server may need long for a call with many megabytes. */
const answerTimeoutMs = 120_000;

type Judged = Omit<RunResult, "planned">;

/** Where durations are not judged, a busy machine may take longer for everything. */
const patienceOf = ({ isTimed = true }: Pick<RunOptions, "isTimed">): number => (isTimed ? 1 : 10);

const keptMs = (setup: Setup): number => (keepsAll(setup) ? 24 * 3_600_000 : retentionMs);

export const run = async (options: RunOptions): Promise<RunResult> => {
  const { store: storeName, notify, seed, loadMs } = options;
  const { pauseMs = pausesMs[storeName], setup = "plain" } = options;
  const random = createRandom(seed);
  const planned = options.faults ?? drawFaults(random, storeName, notify, loadMs, setup);
  const offset = epochOffsetMs();
  const now = (): number => Number(process.hrtime.bigint()) / 1e6 + offset;
  const started: { processes?: Processes } = {};
  const pids = (): readonly number[] =>
    (started.processes?.named ?? []).filter(({ isAlive }) => isAlive).map(({ pid }) => pid);
  const services = await startServices(storeName, notify, { setup, now, pids });
  const { directStoreUrl, storeUrl, notifyUrl, folder } = services;
  const common = { store: storeName, storeUrl, notify, notifyUrl, epochOffsetMs: offset, pauseMs };
  const processes = new Processes(
    { ...common, retentionMs: keptMs(setup) },
    random,
    folder,
    patienceOf(options),
  );
  started.processes = processes;
  try {
    const kind = await loadStore(storeName);
    await kind.prepare(directStoreUrl);
    const opened = await kind.open(directStoreUrl, 5, answerTimeoutMs);
    // The connections that the server knows are those of the pooler.
    const listConnected = (): Promise<null> => Promise.resolve(null);
    const store = setup === "pooler" ? { ...opened, listConnected } : opened;
    const own: HistoryEntry[] = [];
    const note = (entry: HistoryEntry): void => void own.push(entry);
    try {
      const reached = { store: storeName, notify, open: store, services, processes, now, note };
      return { planned, ...(await conduct(options, reached, { planned, own })) };
    } finally {
      await store.close();
    }
  } finally {
    await processes.kill();
    await services.close();
  }
};

/** All that is queried while a run lasts. */
class Watches {
  readonly leases = new LeaseWatch(toleranceMs);
  retentions = new RetentionWatch(treeTypeNames);
  controls = new RetentionWatch(controlTypeNames);

  /** The store has forgotten some of the jobs that were seen. */
  begin(): void {
    this.retentions = new RetentionWatch(treeTypeNames);
    this.controls = new RetentionWatch(controlTypeNames);
  }

  keepLooking({ open: { state }, now }: Surroundings): readonly Looking[] {
    return [
      keepLooking(() => this.leases.look(state, now), 250),
      keepLooking(() => this.retentions.look(state, now), 3_000),
      keepLooking(() => this.controls.look(state, now), 3_000),
    ];
  }

  async lookOnce({ open: { state }, now }: Surroundings): Promise<void> {
    for (const watch of [this.retentions, this.controls]) await watch.look(state, now);
  }
}

const conduct = async (
  options: RunOptions,
  surroundings: Surroundings,
  { planned, own }: { readonly planned: readonly PlannedFault[]; readonly own: HistoryEntry[] },
): Promise<Judged> => {
  const { workerCount = 3, starterCount = 2, loadMs, setup = "plain" } = options;
  const { services, processes, now, note, open: store } = surroundings;
  await processes.startAll({ worker: workerCount, starter: starterCount });
  // Ticks of a clock that is set are no instants of the records.
  const operator =
    setup === "clock"
      ? null
      : await operateSchedules(store, now, createRandom(options.seed + 4_000_000));
  const watches = new Watches();
  const lookings = watches.keepLooking(surroundings);
  const [injected] = await Promise.all([
    injectFaults(surroundings, planned, ({ to }) => {
      watches.begin();
      operator?.rewound(to);
    }),
    sleep(loadMs),
  ]);
  for (const reached of [services.store, services.notify]) await reached?.proxy?.heal();
  for (const child of processes.all) child.tell({ do: "repair" });
  const troubles = [...(await processes.stopStarting())];
  if (setup === "clock") await triggerStranded(store, note, now);
  await operator?.end(patienceOf(options));
  const quietAfterMs = await untilQuiet(store, note, now, patienceOf(options));
  for (const looking of lookings) await looking.stop();
  await assertCounting(
    store,
    processes.named.filter(({ isAlive }) => isAlive),
  );
  troubles.push(...(await processes.close()));
  own.push(...(await countLeft(store, processes.named, now)));
  troubles.push(...(await processes.end()));
  await watches.lookOnce(surroundings);

  const { entries, errors } = readLogs(processes.logPaths);
  const all = withoutForgotten([...entries, ...own], injected.rewinds);
  const operated = (await operator?.seen()) ?? { schedules: [], ticks: [] };
  const history = await toHistory(options, surroundings, { watches, injected, operated, all });
  const excuse = { isRewound: injected.rewinds.length > 0, isStepped: setup === "clock" };
  const violations = judge({ history, troubles, quietAfterMs }, excuse);
  return { violations, history, quietAfterMs, errors };
};

const toHistory = async (
  { workerCount = 3, isTimed = true, setup = "plain" }: RunOptions,
  { open: store, store: name, now }: Surroundings,
  {
    watches: { leases, retentions, controls },
    injected: { faults },
    operated,
    all,
  }: {
    readonly watches: Watches;
    readonly injected: Injected;
    readonly operated: Operated;
    readonly all: readonly HistoryEntry[];
  },
): Promise<History> => {
  return {
    entries: all.toSorted((one, other) => one.at - other.at),
    rows: await store.readRows(),
    ...retentions.seen(all),
    ...{ faults, leases: leases.leases, now: now(), maxAttempts, workerCount, leaseMs },
    retentionMs: keptMs(setup),
    control: {
      ...{ jobs: controls.seen(all).jobs, crowds: leases.crowds, ...operated },
      permitsLeft: await permitsLeftIn(store.state),
      roomMax: concurrencyMax,
    },
    ...{ statementMs: claimsMs[name], claimMs: claimsMs[name], creationMs: creationMs[name] },
    ...{ toleranceMs, recoveryMs: isTimed ? recoveryMs : Number.POSITIVE_INFINITY },
  };
};
