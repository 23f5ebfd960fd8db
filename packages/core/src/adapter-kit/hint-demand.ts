// Shares out hints: how many jobs the listeners of this process could take, and who is woken for those there are.
// A listener is filled before the next is woken: one acquisition for three jobs is cheaper than three for one each.
// Whose turn it is moves on with each grant, so that no listener stays the first for ever.
import type { JobScheduledHint, JobScheduledListener } from "../adapters/notify-adapter.ts";
import type { ListenersByKey } from "./listeners-by-key.ts";

export interface HintDemand {
  /** Of each hint, as many as the listeners have room for. A slot is counted for one type only. */
  wanted(hints: readonly JobScheduledHint[]): readonly JobScheduledHint[];
  /** Wakes listeners for as many as they have room for, and returns what is left over. */
  grant(hints: readonly JobScheduledHint[]): readonly JobScheduledHint[];
}

export const createHintDemand = (
  listeners: ListenersByKey<JobScheduledListener>,
  wake: (listener: JobScheduledListener, typeName: string, count: number) => void,
): HintDemand => {
  let turn = 0;

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
