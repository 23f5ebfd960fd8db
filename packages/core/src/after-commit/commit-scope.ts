// Knows where the effects of a write go. In a transaction of ours, found by the context of the call, to that. In one of the
// user's, to the `withNotify` around it, which async context carries. Outside both nobody says when it commits.
import { ScopedStorage } from "../async/scoped-storage.ts";
import type { Observer } from "../observe/observer.ts";
import type { Announcer } from "./announcer.ts";
import { createEffects, type Effects } from "./effects.ts";
import type { OpenTransactions } from "./open-transactions.ts";
import type { CommitEvidence, UnconfirmedCommits } from "./unconfirmed-commits.ts";

export interface CommitScope {
  create(): Effects;
  /**
   * `withNotify`: gathers during the callback, tells when it has resolved. Within another one, that one tells. When it
   * rejects, what had been committed until then is told all the same: the store knows what that is.
   */
  gather<T>(callback: () => Promise<T>): Promise<T>;
  /**
   * Records effects of a write in the transaction of this context. Outside any scope the store is asked for the evidence
   * until it is there. Without a context the write has been committed already: they are told at once.
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

/** What is gathered by one `withNotify`. */
interface Gathering {
  readonly writes: Write[];
  /** One that has ended does not take work that outlived it. */
  isOpen: boolean;
}

/** One per engine, so that two instances in a process do not tell each other's effects. */
export const createCommitScope = (
  observer: Observer,
  announcer: Announcer,
  transactions: OpenTransactions,
  unconfirmed: UnconfirmedCommits,
): CommitScope => {
  const storage = new ScopedStorage<Gathering>();
  const create = (): Effects => createEffects(observer, announcer);

  const current = (): Gathering | undefined => {
    const gathering = storage.get();
    return gathering?.isOpen === true ? gathering : undefined;
  };

  const tell = (writes: readonly Write[]): void => {
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
        else tell(own.writes);
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
