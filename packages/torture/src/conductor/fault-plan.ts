// Which faults a run injects, and when: all drawn from its seed before it begins.
import { leaseMs } from "../child/protocol.ts";
import { canForge } from "../notify/forge.ts";
import type { NotifyName } from "../notify/transport.ts";
import type { Random } from "../random.ts";
import type { StoreName } from "../stores/store.ts";

const processFaults = ["kill", "freeze", "block", "skew", "flaky", "late", "exhaust"] as const;
const serverFaults = ["restart", "crash", "pause"] as const;
const wireFaults = ["cut", "cutBytes", "delay", "halfOpen"] as const;
const notifyFaults = ["lossy", "notifyDown", "notifyCut", "notifyNode", "flood"] as const;
const maintenanceFaults = ["lockTables", "vacuumFull", "reindex"] as const;
const networkFaults = ["partitionTo", "partitionFrom", "drops"] as const;
const memberFaults = ["stepDown", "rollback", "memberPause"] as const;
const setupFaults = [
  ...(["failOver", "poolerRestart", "diskFull", "restore", "slowSync", "serverClock"] as const),
  ...(["payloads", "deploy", "etcdDown"] as const),
];

export type FaultKind =
  | (typeof processFaults)[number]
  | (typeof serverFaults)[number]
  | (typeof wireFaults)[number]
  | (typeof notifyFaults)[number]
  | (typeof maintenanceFaults)[number]
  | (typeof networkFaults)[number]
  | (typeof memberFaults)[number]
  | (typeof setupFaults)[number];

/**
 * How the store is set up, and which faults it has besides the others.
 *
 * - `plain`: one server.
 * - `standby`, `asyncStandby`: PostgreSQL with a synchronous or an asynchronous standby, which is promoted.
 * - `patroni`, `asyncPatroni`: the same under Patroni, which keeps its leader in etcd and promotes the standby by itself.
 * - `pooler`: PgBouncer in front of PostgreSQL.
 * - `smallDisk`: on a file system of its own that can be filled.
 * - `slowDisk`: each confirmation of the disk takes long.
 * - `backup`: older data are restored.
 * - `clock`: PostgreSQL with a clock of its own, which is set.
 * - `network`: PostgreSQL in a network of its own, which loses packets.
 * - `members`: MongoDB with three members.
 * - `upgrade`: processes are replaced by those of the next version, and back.
 */
export type Setup =
  | ("plain" | "standby" | "asyncStandby" | "pooler" | "smallDisk")
  | ("patroni" | "asyncPatroni")
  | ("slowDisk" | "backup" | "clock" | "network" | "members" | "upgrade");

export const setupsFor: Readonly<Record<StoreName, readonly Setup[]>> = {
  postgres: [
    ...(["plain", "standby", "asyncStandby", "pooler", "smallDisk"] as const),
    ...(["slowDisk", "backup", "clock", "network", "upgrade"] as const),
    ...(["patroni", "asyncPatroni"] as const),
  ],
  sqlite: ["plain", "smallDisk", "slowDisk", "backup", "upgrade"],
  mongodb: ["plain", "slowDisk", "backup", "members", "upgrade"],
};

export interface PlannedFault {
  readonly kind: FaultKind;
  /** After the beginning of the load. */
  readonly atMs: number;
  readonly durationMs: number;
  /** Which worker, by its place. */
  readonly victim: number;
  /** Bytes or milliseconds, depending on the kind. */
  readonly amount: number;
}

// The only one twice: as often as two others.
const ofSetup: Readonly<Record<Setup, readonly FaultKind[]>> = {
  plain: ["payloads"],
  standby: ["failOver", "failOver"],
  asyncStandby: ["failOver", "failOver"],
  patroni: ["failOver", "failOver", "etcdDown"],
  asyncPatroni: ["failOver", "failOver", "etcdDown"],
  pooler: ["poolerRestart", "poolerRestart"],
  smallDisk: ["diskFull", "diskFull"],
  slowDisk: ["slowSync", "slowSync"],
  backup: ["restore", "restore"],
  clock: ["serverClock", "serverClock"],
  network: networkFaults,
  members: memberFaults,
  upgrade: ["deploy", "deploy", "deploy"],
};

/**
 * Whether completed jobs are kept to the end. A store that forgot a job did not delete it by retention. One whose clock is an
 * hour ahead deletes at once, before the job was seen to end. Under Patroni the store can be away for longer than the retention.
 */
export const keepsAll = (setup: Setup): boolean =>
  ["asyncStandby", "patroni", "asyncPatroni", "backup", "clock"].includes(setup);

const ofStore = (store: StoreName, setup: Setup): readonly FaultKind[] => {
  // A file has no server to restart and no wire to cut.
  if (store === "sqlite") return [];
  // Its members elect another primary.
  if (setup === "members") return [];
  return [
    // Patroni may promote the standby after each of them. An asynchronous one then lacks commits of a moment that is not known.
    ...(setup === "asyncPatroni" ? [] : serverFaults),
    ...(setup === "network" ? [] : wireFaults),
    ...(store === "postgres" ? maintenanceFaults : (["stepDown"] as const)),
  ];
};

const ofNotify = (notify: NotifyName): readonly FaultKind[] => [
  ...(canForge(notify) ? (["flood"] as const) : []),
  ...(notify === "none" ? [] : (["lossy"] as const)),
  // Those of stores have the store's own server and wire, which have faults anyway.
  ...(notify === "redis" || notify === "nats" ? (["notifyDown", "notifyCut"] as const) : []),
  ...(notify === "redisCluster" || notify === "natsCluster" ? (["notifyNode"] as const) : []),
];

const kindsFor = (store: StoreName, notify: NotifyName, setup: Setup): readonly FaultKind[] => [
  ...processFaults,
  ...ofSetup[setup],
  ...ofStore(store, setup),
  ...ofNotify(notify),
];

const hourMs = 3_600_000;

const amountOf = (kind: FaultKind, random: Random): number => {
  if (kind === "cutBytes") return 1 + random.below(3_000);
  // Some later than the lease, some later than the driver waits.
  if (kind === "late") return 100 + random.below(3 * leaseMs);
  if (kind === "delay") return 20 + random.below(200);
  // Up to two hours fast or slow.
  if (kind === "skew") return (random.below(4) - 2 || 2) * hourMs;
  if (kind === "serverClock") return random.pick([-1, 1]) * hourMs;
  if (kind === "slowSync") return 50 + random.below(450);
  if (kind === "drops") return 40 + random.below(200);
  if (kind === "notifyNode") return random.below(6);
  if (kind === "failOver") return random.below(2);
  return 0;
};

const momentary: readonly FaultKind[] = [
  ...(["kill", "cut", "restart", "stepDown", "skew", "poolerRestart", "payloads"] as const),
  "deploy",
];

const durationOf = (kind: FaultKind, random: Random): number => {
  if (momentary.includes(kind)) return 0;
  // Longer than the lease: another worker acquires the jobs meanwhile.
  if (kind === "freeze" || kind === "block") return Math.round(leaseMs * (1.2 + random.next()));
  // The leader of Patroni gives up after five seconds without etcd.
  if (kind === "etcdDown") return 8_000 + random.below(5_000);
  // The others notice that it is gone, and take its place.
  if (kind === "notifyDown" || kind === "notifyNode") return 3_000 + random.below(5_000);
  return 500 + random.below(2_500);
};

/** Every kind at least once, if there is time for as many. */
export const drawFaults = (
  random: Random,
  store: StoreName,
  notify: NotifyName,
  loadMs: number,
  setup: Setup = "plain",
): readonly PlannedFault[] => {
  const kinds = kindsFor(store, notify, setup);
  let left: FaultKind[] = [];
  const faults: PlannedFault[] = [];
  for (let atMs = 1_000; atMs < loadMs - 500; atMs += 600 + random.below(1_800)) {
    if (left.length === 0) left = [...kinds];
    const [kind] = left.splice(random.below(left.length), 1);
    if (kind === undefined) continue;
    const [durationMs, amount] = [durationOf(kind, random), amountOf(kind, random)];
    faults.push({ kind, atMs, durationMs, victim: random.below(100), amount });
  }
  return faults;
};

/** Those that concern one worker, and may go on beside any other. */
export const isOfProcess = (kind: FaultKind): boolean =>
  ["kill", "freeze", "block", "skew", "exhaust", "deploy"].includes(kind);

/** Whether no progress is possible meanwhile. */
export const stopsAll = (kind: FaultKind, store: StoreName): boolean => {
  const harmless = [
    "lossy",
    "notifyDown",
    "notifyCut",
    "notifyNode",
    "skew",
    "kill",
    "flood",
    "deploy",
  ];
  if (harmless.includes(kind)) return false;
  // A process that stands still may hold the one writer.
  return store === "sqlite" || !isOfProcess(kind);
};
