// Decides which commit the effects of a write wait for. If `transaction` opened the transaction of the context, that one. If
// the user opened it, the `withNotify` around the call, which async context carries. Otherwise the store is asked.
import { ScopedStorage } from "../async/scoped-storage.ts";
import type { Observer } from "../observe/observer.ts";
import type { OpenTransactions } from "./open-transactions.ts";
import { createEffects, type Effects, type Notifier } from "./post-commit-effects.ts";
import type { CommitEvidence, UnconfirmedCommits } from "./unconfirmed-commits.ts";

export interface EffectRouter {
  create(): Effects;
  /**
   * `withNotify`: gathers effects during the callback, and flushes them when it resolves. An outer `withNotify` takes over
   * the effects of an inner one. If the callback rejects, the store is asked which of its writes were committed.
   */
  gather<T>(callback: () => Promise<T>): Promise<T>;
  /**
   * Records the effects of a write in the transaction of this context. A write without a context has been committed: its
   * effects are flushed at once. If the commit is not known, the store is asked until it shows the evidence.
   */
  record(
    context: object | undefined,
    evidence: CommitEvidence,
    write: (effects: Effects) => void,
  ): void;
}

interface Write {
  readonly evidence: CommitEvidence;
  readonly effects: Effects;
}

/** The writes inside one `withNotify`. */
interface Gathering {
  readonly writes: Write[];
  /** False once the callback has ended: later writes find another way. */
  isOpen: boolean;
}

/** One per engine: two clients in a process do not flush effects of each other. */
export const createEffectRouter = (
  observer: Observer,
  notifier: Notifier,
  transactions: OpenTransactions,
  unconfirmed: UnconfirmedCommits,
): EffectRouter => {
  const storage = new ScopedStorage<Gathering>();
  const create = (): Effects => createEffects(observer, notifier);

  const current = (): Gathering | undefined => {
    const gathering = storage.get();
    return gathering?.isOpen === true ? gathering : undefined;
  };

  const flushTogether = (writes: readonly Write[]): void => {
    const together = create();
    for (const { effects } of writes) effects.mergeInto(together);
    together.flush();
  };

  return {
    create,
    gather: async (callback) => {
      const parent = current();
      const own: Gathering = { writes: [], isOpen: true };
      try {
        const result = await storage.run(own, callback);
        if (parent?.isOpen === true) parent.writes.push(...own.writes);
        else flushTogether(own.writes);
        return result;
      } catch (error) {
        for (const { evidence, effects } of own.writes) unconfirmed.add(evidence, effects);
        throw error;
      } finally {
        own.isOpen = false;
      }
    },
    record: (context, evidence, write) => {
      const transaction = context === undefined ? undefined : transactions.find(context);
      if (transaction !== undefined) return write(transaction.effects);
      const effects = create();
      write(effects);
      if (context === undefined) return effects.flush();
      const gathering = current();
      if (gathering !== undefined) {
        gathering.writes.push({ evidence, effects });
        return;
      }
      const { operation, jobCount } = evidence;
      observer.emit("notifyContextAbsence", () => ({ operation, jobCount }));
      unconfirmed.add(evidence, effects);
    },
  };
};
