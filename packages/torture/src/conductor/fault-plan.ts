// Which faults a run injects, and when: all drawn from its seed before it begins.
import { leaseMs } from "../child/protocol.ts";
import type { NotifyName } from "../notify/transport.ts";
import type { Random } from "../random.ts";
import type { StoreName } from "../stores/store.ts";

const processFaults = ["kill", "freeze", "block", "skew", "flaky", "late", "exhaust"] as const;
const storeFaults = ["restart", "crash", "pause", "cut", "cutBytes", "delay", "halfOpen"] as const;
const notifyFaults = ["lossy", "notifyDown", "notifyCut"] as const;

export type FaultKind =
  | (typeof processFaults)[number]
  | (typeof storeFaults)[number]
  | (typeof notifyFaults)[number]
  | "stepDown";

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

const kindsFor = (store: StoreName, notify: NotifyName): readonly FaultKind[] => [
  ...processFaults,
  // A file has no server to restart and no wire to cut.
  ...(store === "sqlite" ? [] : storeFaults),
  ...(store === "mongodb" ? (["stepDown"] as const) : []),
  ...(notify === "none" ? [] : (["lossy"] as const)),
  // Those of stores have the store's own server and wire, which have faults anyway.
  ...(notify === "redis" || notify === "nats" ? (["notifyDown", "notifyCut"] as const) : []),
];

const amountOf = (kind: FaultKind, random: Random): number => {
  if (kind === "cutBytes") return 1 + random.below(3_000);
  // Some later than the lease, some later than the driver waits.
  if (kind === "late") return 100 + random.below(3 * leaseMs);
  if (kind === "delay") return 20 + random.below(200);
  // Up to two hours fast or slow.
  if (kind === "skew") return (random.below(4) - 2 || 2) * 3_600_000;
  return 0;
};

const durationOf = (kind: FaultKind, random: Random): number => {
  // Longer than the lease: another worker acquires the jobs meanwhile.
  if (kind === "freeze" || kind === "block") return Math.round(leaseMs * (1.2 + random.next()));
  if (kind === "kill" || kind === "cut" || kind === "restart" || kind === "stepDown") return 0;
  if (kind === "skew") return 0;
  if (kind === "notifyDown") return 3_000 + random.below(5_000);
  return 500 + random.below(2_500);
};

/** Every kind at least once, if there is time for as many. */
export const drawFaults = (
  random: Random,
  store: StoreName,
  notify: NotifyName,
  loadMs: number,
): readonly PlannedFault[] => {
  const kinds = kindsFor(store, notify);
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
  ["kill", "freeze", "block", "skew", "exhaust"].includes(kind);

/** Whether no progress is possible meanwhile. */
export const stopsAll = (kind: FaultKind, store: StoreName): boolean => {
  if (["lossy", "notifyDown", "notifyCut", "skew", "kill"].includes(kind)) return false;
  // A process that stands still may hold the one writer.
  return store === "sqlite" || !isOfProcess(kind);
};
