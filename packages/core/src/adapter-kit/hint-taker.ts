// Takes hints of other processes for the listeners of this one: as many as they have room for, and the same room only once
// however many messages arrive before the first answer.
import type { JobScheduledHint } from "../adapters/notify-adapter.ts";
import type { HintDemand } from "./hint-demand.ts";
import type { NotifyCounters } from "./notify-stats.ts";
import type { NotifyTransport, StoredHint } from "./notify-transport.ts";
import { withinTime } from "./within-time.ts";

export interface HintTakerOptions {
  readonly demand: HintDemand;
  readonly takeHints: NonNullable<NotifyTransport["takeHints"]>;
  readonly timeoutMs: number;
  readonly counters: NotifyCounters;
  readonly report: (error: unknown) => void;
}

/** Resolves to what was taken, which is what to wake listeners for. Never rejects. */
export type HintTaker = (hint: StoredHint) => Promise<readonly JobScheduledHint[]>;

export const createHintTaker = (options: HintTakerOptions): HintTaker => {
  const { demand, takeHints, counters, report } = options;
  // Asked for and not answered yet, by type.
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

  const ask = async (
    hint: StoredHint,
    wanted: readonly JobScheduledHint[],
  ): Promise<readonly JobScheduledHint[]> => {
    const answer = takeHints(hint, wanted);
    const counts = await withinTime(answer, options.timeoutMs, "Taking a hint");
    return wanted.map(({ typeName }, index) => {
      const count = counts[index] ?? 0;
      counters.hintsTaken += count;
      if (count === 0) counters.hintsMissed += 1;
      return { typeName, count };
    });
  };

  return async (hint) => {
    // Room for what is under way and for this: what remains of it is for this.
    const wanted = plus(demand.wanted(plus(hint.counts, 1)), -1).filter(({ count }) => count > 0);
    if (wanted.length === 0) return [];
    reserve(wanted, 1);
    try {
      return (await ask(hint, wanted)).filter(({ count }) => count > 0);
    } catch (error) {
      // Looking for nothing is cheap; not looking costs a poll interval.
      report(error);
      counters.hintsGuessed += 1;
      return wanted;
    } finally {
      reserve(wanted, -1);
    }
  };
};
