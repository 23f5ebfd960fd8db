// The reads of the jobs of keys. Each has its index, also with a planner that knows the store as it was: `test/key-plans.test.ts`.
import { isDue, isExpired } from "../job-document.ts";
import type { HeldKey, KeyedJob } from "./read-keys.ts";
import { anyTurn, isTurnDue, turnStatuses } from "./read-turns.ts";

/** A job of a key, as a row. */
export type KeyRow = KeyedJob & {
  readonly now: Date;
  readonly is: "running" | "expired" | "turn" | "due" | "first" | "last";
};

const fields = {
  ...{ limitKeyId: 1, typeName: 1, keyPriority: 1, scheduledAt: 1, ordinal: 1, startCost: 1 },
  releasedAt: 1,
  now: "$$NOW",
} as const;

export const orderOfKey = { keyPriority: -1, scheduledAt: 1, ordinal: 1 } as const;

/** More turns of the keys are left for the next look. */
const turnsMax = 5_000;

const idsOf = (keys: readonly HeldKey[]): readonly string[] =>
  keys.map(({ document }) => document._id);

/** The jobs that are turns of the keys. */
export const turnProbe = (typeName: string, keys: readonly HeldKey[]): object[] => [
  {
    $match: {
      ...{ limitKeyId: { $in: idsOf(keys) }, status: { $in: turnStatuses } },
      ...{ ...anyTurn, ...isTurnDue },
    },
  },
  { $limit: turnsMax },
  // Not before: the server might then read all turns of the type.
  { $match: { typeName } },
  { $project: { limitKeyId: 1, is: { $literal: "turn" }, now: "$$NOW" } },
];

/** Of a key with a bound all running jobs, of any type. Of the others those whose lease has expired. */
export const permitProbes = (typeName: string, keys: readonly HeldKey[]): object[][] => {
  const bounded = idsOf(keys.filter(({ bounds }) => bounds.concurrency !== null));
  const others = idsOf(keys.filter(({ bounds }) => bounds.concurrency === null));
  const kind = { $cond: [{ $lte: ["$leasedUntil", "$$NOW"] }, "expired", "running"] };
  return [
    ...(bounded.length === 0
      ? []
      : [
          [
            { $match: { limitKeyId: { $in: bounded }, status: "running", ...anyTurn } },
            { $project: { ...fields, is: kind } },
          ],
        ]),
    ...(others.length === 0
      ? []
      : [
          [
            { $match: { status: "running", ...isExpired, typeName, limitKeyId: { $in: others } } },
            { $sort: { leasedUntil: 1 } },
            { $limit: turnsMax },
            { $project: { ...fields, is: { $literal: "expired" } } },
          ],
        ]),
  ];
};

/** One more than a key may start shows whether it has more. */
export const dueProbes = (typeName: string, keys: readonly HeldKey[]): object[][] => {
  const open = keys.filter(({ most }) => most > 0);
  const singles = open.filter(({ most, agingMs }) => most === 1 && agingMs === null);
  const others = open.filter(({ most, agingMs }) => most > 1 || agingMs !== null);
  return [
    ...others.map((key) => dueOfKey(typeName, key)),
    ...(singles.length <= fewKeys
      ? singles.map((key) => dueOfKey(typeName, key))
      : firstAndLast(typeName, idsOf(singles))),
  ];
};

/** A probe for each of them costs less than two for all. */
const fewKeys = 4;

export const dueOfKey = (typeName: string, { document, most, agingMs }: HeldKey): object[] => {
  const match = { typeName, status: "pending", limitKeyId: document._id, ...isDue };
  const aged = { $subtract: ["$scheduledAt", { $multiply: ["$keyPriority", agingMs] }] };
  return [
    { $match: match },
    ...(agingMs === null
      ? [{ $sort: orderOfKey }]
      : [{ $set: { rank: aged } }, { $sort: { rank: 1, ordinal: 1 } }]),
    { $limit: most + 1 },
    { $project: { ...fields, is: { $literal: "due" } } },
  ];
};

// Two distinct scans of the index read two entries for each key: the first pending job in the order, and the last.
const firstAndLast = (typeName: string, keyIds: readonly string[]): object[][] => {
  const match = { typeName, status: "pending", limitKeyId: { $in: keyIds } };
  const first = (field: string): object => ({ $first: `$${field}` });
  return [
    [
      { $match: match },
      { $sort: { limitKeyId: 1, ...orderOfKey } },
      {
        $group: {
          _id: "$limitKeyId",
          ...{ id: first("_id"), typeName: first("typeName"), keyPriority: first("keyPriority") },
          ...{ scheduledAt: first("scheduledAt"), ordinal: first("ordinal") },
          releasedAt: first("releasedAt"),
          startCost: first("startCost"),
        },
      },
      {
        $project: {
          ...{ _id: "$id", limitKeyId: "$_id", typeName: 1, keyPriority: 1, scheduledAt: 1 },
          ...{ releasedAt: 1, ordinal: 1, startCost: 1, is: { $literal: "first" }, now: "$$NOW" },
        },
      },
    ],
    [
      { $match: match },
      { $sort: { limitKeyId: -1, keyPriority: 1, scheduledAt: -1, ordinal: -1 } },
      { $group: { _id: "$limitKeyId", id: first("_id") } },
      {
        $project: { _id: "$id", limitKeyId: "$_id", is: { $literal: "last" }, now: "$$NOW" },
      },
    ],
  ];
};
