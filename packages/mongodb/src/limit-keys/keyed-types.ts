// The types with jobs under keys, as rows among candidates. Usually none: both indexes are empty.
import { anyLook, anyTurn } from "./read-turns.ts";

/** A type with jobs under keys that wait, run or have ended since their key was looked at. */
export interface KeyedType {
  readonly isKeyed: true;
  readonly _id: string;
}

const rows = { $project: { isKeyed: { $literal: true } } };

/** Two distinct scans: one entry of the index for each type. */
export const keyedTypeRows = (
  jobs: string,
  limitKeys: string,
  typeNames: readonly string[],
): readonly object[] => [
  {
    $unionWith: {
      coll: jobs,
      pipeline: [
        { $match: { typeName: { $in: typeNames }, ...anyTurn } },
        { $group: { _id: "$typeName" } },
        rows,
      ],
    },
  },
  {
    $unionWith: {
      coll: limitKeys,
      pipeline: [
        { $match: { lookType: { $in: typeNames }, ...anyLook } },
        { $group: { _id: "$lookType" } },
        rows,
      ],
    },
  },
];
