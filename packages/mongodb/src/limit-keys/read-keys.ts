// The jobs of the keys that an acquisition holds. They are read outside its transaction, after the transaction has its snapshot.
// A job that is newer than the snapshot, or was written since, makes the transaction fail when it writes that job.
import type { StateKeyBounds } from "queuert/internal";
import type { Database } from "../database.ts";
import type { JobDocument } from "../job-document.ts";
import { readProbes } from "../probes.ts";
import { holdMs } from "./hold-keys.ts";
import type { LimitKeyDocument } from "./key-document.ts";
import type { TurnOfKey } from "./read-turns.ts";
import { dueOfKey, dueProbes, type KeyRow, permitProbes, turnProbe } from "./key-probes.ts";

/** A due job under a key. */
export type KeyedJob = Pick<
  JobDocument,
  "_id" | "typeName" | "scheduledAt" | "releasedAt" | "ordinal" | "keyPriority" | "startCost"
> & { readonly limitKeyId: string };

/** A key that an acquisition looks at. */
export interface HeldKey {
  readonly document: LimitKeyDocument;
  readonly turn: TurnOfKey;
  readonly bounds: StateKeyBounds;
  readonly agingMs: number | null;
  /** How many jobs it may start at most in this acquisition. */
  readonly most: number;
  /** It is alone because of a conflict: another transaction may have one of its jobs. */
  readonly isCareful: boolean;
  /** That job may be the first one. */
  readonly isRandom: boolean;
  /** Of a batch after a conflict: the jobs that no other transaction has. */
  readonly free: ReadonlySet<string> | null;
}

/** The jobs of a key. */
export interface JobsOfKey {
  /** The jobs that hold an unexpired lease. Only if they are bounded. */
  permits: number;
  /** Jobs with an expired lease, of any type. */
  readonly expired: KeyedJob[];
  /** In order, but for the expired ones. */
  readonly due: KeyedJob[];
  /** There may be more due jobs. */
  hasMore: boolean;
  /** The jobs that are turns. */
  readonly turns: string[];
}

export interface KeysRead {
  readonly now: Date;
  readonly jobs: ReadonlyMap<string, JobsOfKey>;
}

export const readKeys = async (
  db: Database,
  typeName: string,
  keys: readonly HeldKey[],
): Promise<KeysRead> => {
  const rows = await readProbes<KeyRow>(db.jobs, [
    ...permitProbes(typeName, keys),
    turnProbe(typeName, keys),
    ...dueProbes(typeName, keys),
  ]);
  const jobs = new Map<string, JobsOfKey>();
  for (const { document } of keys) {
    jobs.set(document._id, { permits: 0, expired: [], due: [], hasMore: false, turns: [] });
  }
  const sortAll = (all: readonly KeyRow[]): void => {
    for (const row of all) {
      const of = jobs.get(row.limitKeyId);
      if (of !== undefined) sortIn(row, of);
    }
  };
  sortAll(rows);
  // Of one command all rows have the same time.
  const now = rows[0]?.now ?? heldAt(keys);
  // Rare: a job of a higher priority is scheduled for later, and stands before due ones.
  const scheduled = keys.filter(({ document }) => {
    const [first] = jobs.get(document._id)?.due ?? [];
    return first !== undefined && first.scheduledAt > now;
  });
  for (const { document } of scheduled) {
    const of = jobs.get(document._id);
    of?.due.pop();
    if (of !== undefined) of.hasMore = false;
  }
  if (scheduled.length > 0) {
    sortAll(
      await readProbes<KeyRow>(
        db.jobs,
        scheduled.map((key) => dueOfKey(typeName, key)),
      ),
    );
  }
  for (const { document, most } of keys) {
    const of = jobs.get(document._id);
    if (of !== undefined && of.due.length > most) of.hasMore = true;
  }
  return { now, jobs };
};

/** There is nothing but the end of a pause to decide by it. */
const heldAt = ([key]: readonly HeldKey[]): Date =>
  new Date((key?.document.heldUntil?.getTime() ?? 0) - holdMs);

const sortIn = (row: KeyRow, of: JobsOfKey): void => {
  if (row.is === "running") of.permits++;
  else if (row.is === "expired") of.expired.push(row);
  else if (row.is === "turn") of.turns.push(row._id);
  else if (row.is === "last") of.hasMore = of.due.length > 0 && of.due[0]?._id !== row._id;
  else of.due.push(row);
};
