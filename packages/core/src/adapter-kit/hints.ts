// Hints: a notification about N jobs should wake listeners for about N jobs, and leave the others asleep.
// - Within the process, listeners are woken by the room they have. A listener is filled before the next one is woken: one
//   acquisition of three jobs is cheaper than three of one job.
// - Between processes, the transport keeps the counts, and each process takes as many jobs as its listeners have room for.
import type { JobScheduledHint, JobScheduledListener } from "../adapters/notify-adapter.ts";
import { rejectAfter } from "../async/time-limit.ts";
import type { NotifyCounters } from "./notify-channel.ts";

/** Sets of listeners, by type name or id. */
export interface ListenersByKey<TListener> {
  add(keys: readonly string[], listener: TListener): void;
  remove(keys: readonly string[], listener: TListener): void;
  isEmpty(): boolean;
  /** A copy: listeners may come and go while the others are being called. */
  of(key: string): readonly TListener[];
  /** Each pair of listener and key once. */
  pairs(): readonly (readonly [listener: TListener, key: string])[];
  clear(): void;
}

export const createListenersByKey = <TListener>(): ListenersByKey<TListener> => {
  const listeners = new Map<string, Set<TListener>>();
  return {
    add: (keys, listener) => {
      for (const key of keys) {
        const known = listeners.get(key);
        if (known === undefined) listeners.set(key, new Set([listener]));
        else known.add(listener);
      }
    },
    remove: (keys, listener) => {
      for (const key of keys) {
        const known = listeners.get(key);
        known?.delete(listener);
        if (known?.size === 0) listeners.delete(key);
      }
    },
    isEmpty: () => listeners.size === 0,
    of: (key) => [...(listeners.get(key) ?? [])],
    pairs: () =>
      [...listeners].flatMap(([key, set]) => [...set].map((listener) => [listener, key] as const)),
    clear: () => {
      listeners.clear();
    },
  };
};

export interface HintDemand {
  /** The part of each hint that the listeners have room for. A slot is counted for one type only. */
  wanted(hints: readonly JobScheduledHint[]): readonly JobScheduledHint[];
  /** Wakes listeners for as many jobs as they have room for, and returns the rest. */
  grant(hints: readonly JobScheduledHint[]): readonly JobScheduledHint[];
}

export const createHintDemand = (
  listeners: ListenersByKey<JobScheduledListener>,
  wake: (listener: JobScheduledListener, typeName: string, count: number) => void,
): HintDemand => {
  let turn = 0;

  // The first listener changes with each grant, so that all of them get jobs.
  const inTurn = (typeName: string): readonly JobScheduledListener[] => {
    const all = listeners.of(typeName);
    if (all.length < 2) return all;
    turn = (turn + 1) % Number.MAX_SAFE_INTEGER;
    const first = turn % all.length;
    return [...all.slice(first), ...all.slice(0, first)];
  };

  const share = (
    { typeName, count }: JobScheduledHint,
    given: Map<JobScheduledListener, number>,
    take: (listener: JobScheduledListener, typeName: string, count: number) => void,
  ): number => {
    let left = count;
    for (const listener of inTurn(typeName)) {
      if (left === 0) break;
      const alreadyGiven = given.get(listener) ?? 0;
      const demand = demandOf(listener, typeName, left + alreadyGiven);
      const part = Math.min(left, demand - alreadyGiven);
      if (part > 0) {
        left -= part;
        given.set(listener, alreadyGiven + part);
        take(listener, typeName, part);
      }
    }
    return left;
  };

  return {
    wanted: (hints) => {
      const given = new Map<JobScheduledListener, number>();
      return positive(
        hints.map((hint) => ({
          typeName: hint.typeName,
          count: hint.count - share(hint, given, () => undefined),
        })),
      );
    },
    grant: (hints) => {
      const given = new Map<JobScheduledListener, number>();
      return positive(
        hints.map((hint) => ({ typeName: hint.typeName, count: share(hint, given, wake) })),
      );
    },
  };
};

const demandOf = ({ demand }: JobScheduledListener, typeName: string, offered: number): number => {
  const count = demand === undefined ? 1 : demand(typeName, offered);
  return count > 0 ? Math.floor(count) : 0;
};

const positive = (hints: readonly JobScheduledHint[]): readonly JobScheduledHint[] =>
  hints.filter(({ count }) => count > 0);

/** Resolves to the jobs that were taken: listeners are woken for these. Never rejects. */
export type HintTaker = (
  hints: readonly JobScheduledHint[],
  ask: (wanted: readonly JobScheduledHint[]) => Promise<readonly number[]>,
) => Promise<readonly JobScheduledHint[]>;

// Waking a worker for nothing costs one query; a longer wait costs more.
const takeTimeoutMs = 500;

/** Takes hints of other processes. Room is used once, however many messages arrive before the first answer. */
export const createHintTaker = (
  demand: HintDemand,
  counters: NotifyCounters,
  report: (error: unknown) => void,
): HintTaker => {
  // Jobs by type that were asked for and not answered yet. No larger than the demand of the listeners.
  const beingTaken = new Map<string, number>();

  const reserve = (hints: readonly JobScheduledHint[], sign: 1 | -1): void => {
    for (const { typeName, count } of hints) {
      const reserved = (beingTaken.get(typeName) ?? 0) + sign * count;
      if (reserved > 0) beingTaken.set(typeName, reserved);
      else beingTaken.delete(typeName);
    }
  };
  const plus = (hints: readonly JobScheduledHint[], sign: 1 | -1): readonly JobScheduledHint[] =>
    hints.map(({ typeName, count }) => ({
      typeName,
      count: count + sign * (beingTaken.get(typeName) ?? 0),
    }));

  return async (hints, ask) => {
    // Room for the jobs that are being taken and for these, minus the jobs that are being taken.
    const wanted = positive(plus(demand.wanted(plus(hints, 1)), -1));
    if (wanted.length === 0) return [];
    reserve(wanted, 1);
    try {
      const counts = await rejectAfter(ask(wanted), takeTimeoutMs, "Taking a hint");
      const taken = wanted.map(({ typeName }, index) => ({ typeName, count: counts[index] ?? 0 }));
      for (const { count } of taken) {
        counters.hintsTaken += count;
        if (count === 0) counters.hintsMissed += 1;
      }
      return positive(taken);
    } catch (error) {
      // An acquisition that finds nothing is cheap; a job that waits for the next poll is not.
      report(error);
      counters.hintsGuessed += 1;
      return wanted;
    } finally {
      reserve(wanted, -1);
    }
  };
};
