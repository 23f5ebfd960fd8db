import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type Fault, type History, type SeenLease } from "./history.ts";

/** Faults after which a process does nothing more, or not for longer than a lease. */
const vanishing: ReadonlySet<string> = new Set(["kill", "freeze", "block"]);

type Span = readonly [from: number, until: number];

/**
 * Times at which no progress was possible: a server was away, or every worker was hit by a fault.
 */
const idleSpans = (history: History): readonly Span[] => {
  const { faults, workerCount } = history;
  const workers = new Set(entriesOf(history, "began").map(({ process }) => process));
  const ofProcesses = faults.filter(
    ({ kind, process }) => vanishing.has(kind) && process !== null && workers.has(process),
  );
  const edges = ofProcesses.flatMap(({ from, until }) => [
    [from, 1] as const,
    [until, -1] as const,
  ]);
  edges.sort(([one, more], [other, less]) => one - other || more - less);
  const spans: Span[] = faults
    .filter(({ stopsAll }) => stopsAll)
    .map(({ from, until }) => [from, until]);
  let down = 0;
  for (const [index, [at, change]] of edges.entries()) {
    down += change;
    const next = edges[index + 1];
    if (down >= workerCount && next !== undefined) spans.push([at, next[0]]);
  }
  return spans.toSorted(([one], [other]) => one - other);
};

const overlapMs = (spans: readonly Span[], from: number, until: number): number => {
  let sum = 0;
  let reached = from;
  for (const [begin, end] of spans) {
    const stop = Math.min(end, until);
    sum += Math.max(0, stop - Math.max(begin, reached));
    reached = Math.max(reached, stop);
  }
  return sum;
};

export interface Recovery {
  readonly fault: Fault;
  readonly path: string;
  /**
   * From the fault until a worker has reclaimed the lease. Times at which no progress was possible
   * are subtracted.
   */
  readonly tookMs: number;
}

/** For each process that vanished: how long it still held its jobs. */
export const recoveriesOf = (history: History): readonly Recovery[] => {
  const idle = idleSpans(history);
  const isLostTo =
    (fault: Fault) =>
    ({ holder, firstSeenAt, lastSeenAt, leasedUntil }: SeenLease): boolean =>
      holder === fault.process && firstSeenAt <= fault.until && lastSeenAt > leasedUntil;
  return history.faults
    .filter(({ kind }) => vanishing.has(kind))
    .flatMap((fault) =>
      history.leases
        .filter(isLostTo(fault))
        .filter(({ lastSeenAt }) => lastSeenAt > fault.from)
        .map(({ path, lastSeenAt }) => ({
          fault,
          path,
          tookMs: lastSeenAt - fault.from - overlapMs(idle, fault.from, lastSeenAt),
        })),
    );
};

/**
 * A vanished worker holds its jobs for one lease and one reclaim interval, not longer. Of a type under a limit or a pause
 * nothing is said: its jobs are taken back when they may begin.
 */
export const checkRecovery: Check = (history) => {
  const idle = idleSpans(history);
  const held = new Set(entriesOf(history, "setting").map(({ typeName }) => typeName));
  return history.leases.flatMap((lease) => {
    const { path, holder, leaseVersion, leasedUntil, lastSeenAt } = lease;
    if (held.has(lease.typeName) || held.has("*")) return [];
    const overdueMs = lastSeenAt - leasedUntil - overlapMs(idle, leasedUntil, lastSeenAt);
    if (overdueMs <= history.recoveryMs) return [];
    const detail = `${path}, lease ${leaseVersion} of ${holder}: ${Math.round(overdueMs)} ms late`;
    return [{ rule: "an expired lease is taken back in time", detail }];
  });
};

/** No worker holds a job beyond its lease without renewing it. */
export const checkLeaseLength: Check = ({ leases, leaseMs, toleranceMs }) =>
  leases.flatMap(({ path, aheadMs }) =>
    aheadMs <= leaseMs + toleranceMs
      ? []
      : [
          {
            rule: "a lease is no longer than was asked for",
            detail: `${path}: ${Math.round(aheadMs)} ms`,
          },
        ],
  );

/** Two workers never hold one job under one token. */
export const checkHolders: Check = ({ leases }) =>
  [...groupBy(leases, ({ jobId, leaseVersion }) => `${jobId}/${leaseVersion}`).values()].flatMap(
    (seen) =>
      seen.length === 1
        ? []
        : [{ rule: "a lease has one holder", detail: seen.map(({ holder }) => holder).join(", ") }],
  );

/** The server has no connection of a process that has closed. */
export const checkConnections: Check = (history) =>
  entriesOf(history, "connected").map(({ process, count }) => ({
    rule: "no connection outlives close",
    detail: `${process}: ${count}`,
  }));

/** Nothing outlives stop and close. */
export const checkLeaks: Check = (history) =>
  entriesOf(history, "leaked").map(({ process, what }) => ({
    rule: "nothing outlives stop and close",
    detail: `${process}: ${what}`,
  }));
