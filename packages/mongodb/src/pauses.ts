// The paused types: one document, beside the counters. An acquisition reads it with its candidates, in one command.
import type { AcquireJobsParams } from "queuert/internal";

export const pausesDocumentId = "pauses";

/** In the order of pausing. Pauses that have ended are left until the next write. */
export interface PausesDocument {
  readonly _id: string;
  readonly pauses: readonly PauseEntry[];
}

export interface PauseEntry {
  /** Null: every type. */
  readonly typeName: string | null;
  readonly pausedAt: Date;
  /** Null: until it is resumed. */
  readonly until: Date | null;
  readonly note: string | null;
}

/** A pause that has not ended, as an acquisition reads it. */
export interface ActivePause {
  readonly isPause: true;
  readonly typeName: string | null;
  /** Null: not before it is resumed. */
  readonly resumesInMs: number | null;
}

/** Over the collection of the counters: the pauses that have not ended. */
export const activePauses: readonly object[] = [
  { $match: { _id: pausesDocumentId } },
  { $unwind: "$pauses" },
  { $replaceRoot: { newRoot: "$pauses" } },
  { $match: { $expr: { $or: [{ $eq: ["$until", null] }, { $gt: ["$until", "$$NOW"] }] } } },
];

/** Those as rows among candidates. */
export const activePauseRows: readonly object[] = [
  ...activePauses,
  {
    $project: {
      isPause: { $literal: true },
      typeName: 1,
      resumesInMs: { $subtract: ["$until", "$$NOW"] },
    },
  },
];

type AcquiredType = AcquireJobsParams["types"][number];

export interface OpenTypes {
  readonly types: readonly AcquiredType[];
  /** When the first of the paused types is resumed by itself; Infinity: none is. */
  readonly resumesInMs: number;
  /** Some type or some limit is paused. */
  readonly hasPauses: boolean;
}

export const withoutPaused = (
  types: readonly AcquiredType[],
  pauses: readonly ActivePause[],
): OpenTypes => {
  if (pauses.length === 0) return { types, resumesInMs: Infinity, hasPauses: false };
  const ends = new Map(pauses.map((one) => [one.typeName, one.resumesInMs ?? Infinity]));
  let next = Infinity;
  const open = types.filter(({ typeName }) => {
    const own = [ends.get(typeName), ends.get(null)].filter((end) => end !== undefined);
    if (own.length === 0) return true;
    next = Math.min(next, Math.max(...own));
    return false;
  });
  return { types: open, resumesInMs: next, hasPauses: true };
};
