// When to look at the keys of types again, as rows among the next due times.
import type { Database } from "../database.ts";
import { keptBackValues } from "./key-document.ts";
import { anyLook, anyTurn } from "./read-turns.ts";

/** A due time, or a key that is kept back. */
export interface NextKeyLook {
  readonly at: Date | null;
  /** Not null: a key is full, and a job waits for it. */
  readonly keptBack?: string | null | undefined;
}

// A pause without an end is far later.
const far = new Date(4e15);
const later = (field: string): object => ({ $expr: { $gt: [field, "$$NOW"] } });

export const nextKeyLooks = (
  { limitKeys }: Database,
  typeName: string,
): { readonly ofJobs: object[]; readonly ofKeys: readonly object[] } => ({
  ofJobs: [
    {
      $match: {
        ...{ typeName, status: "pending", ...anyTurn, ...later("$turnAt") },
      },
    },
    { $sort: { turnAt: 1 } },
    { $limit: 1 },
    { $project: { at: "$turnAt" } },
  ],
  ofKeys: [
    [
      {
        $match: {
          ...{
            lookType: typeName,
            keptBack: { $in: keptBackValues },
            lookAt: { $gte: new Date(0), $lt: far },
          },
          ...later("$lookAt"),
        },
      },
      { $sort: { lookAt: 1 } },
      { $limit: 1 },
      { $project: { at: "$lookAt" } },
    ],
    [
      {
        $match: {
          ...{ lookType: typeName, keptBack: { $in: ["own", "shared"] } },
          ...anyLook,
        },
      },
      { $limit: 1 },
      { $project: { at: { $literal: null }, keptBack: 1 } },
    ],
  ].map((pipeline) => ({ $unionWith: { coll: limitKeys.name, pipeline } })),
});
