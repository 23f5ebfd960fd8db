// The origin of a sequence that is started as a blocker. Only inside `startBlockers`, new sequences belong to the tree of the
// job that will wait for them. The context closes with the callback: later starts are roots.
import { ScopedStorage } from "../async/scoped-storage.ts";

export interface Lineage {
  readonly rootSequenceId: string;
  readonly originId: string;
  readonly traceContext: string | null;
}

const storage = new ScopedStorage<{ lineage: Lineage | null }>();

/** Runs `startBlockers` for a job: what is started meanwhile descends from it. */
export const withLineage = async <T>(lineage: Lineage, callback: () => Promise<T>): Promise<T> => {
  const cell: { lineage: Lineage | null } = { lineage };
  try {
    return await storage.run(cell, callback);
  } finally {
    cell.lineage = null;
  }
};

/** The job for which blockers are being started right now. */
export const currentLineage = (): Lineage | null => storage.get()?.lineage ?? null;
