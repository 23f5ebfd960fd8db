import { type LimitKeyStore, type StateLimitKeyState, tokensAt } from "queuert/internal";
import type { Database } from "../database.ts";
import {
  activePauseOf,
  effectiveBounds,
  keyIdOf,
  type LimitKeyDocument,
} from "../limit-keys/key-document.ts";
import { anyTurn } from "../limit-keys/read-turns.ts";
import { outside } from "../store.ts";

type StoredKey = LimitKeyDocument & { readonly now: Date };

export const getLimitKeys =
  (db: Database): LimitKeyStore["getLimitKeys"] =>
  async ({ limitName, keys }) => {
    const [limit] = await db.limits.find(outside, { _id: limitName });
    const stored = new Map<string, StoredKey>();
    for (const one of await readStored(db, limitName, keys)) stored.set(one.key ?? "", one);
    const names =
      keys === null ? [...stored.values()].filter(isOwn).map(({ key = "" }) => key) : keys;
    const sorted = [...new Set(names)].sort();
    const states: StateLimitKeyState[] = [];
    for (const key of sorted) {
      const document = stored.get(key);
      const { bounds = null, backAtUs = null, now = new Date(0) } = document ?? {};
      const pause = document === undefined ? null : activePauseOf(document, now);
      const { concurrency, rate } = effectiveBounds(limit, document ?? {});
      states.push({
        ...{ limitName, key, bounds },
        pause: pause && { until: pause.until, note: pause.note },
        effective: { concurrency, rate },
        ...(await countUnder(db, keyIdOf({ limitName, key }))),
        tokens: rate === null ? null : tokensAt(rate, backAtUs, now.getTime() * 1_000),
      });
    }
    return states;
  };

const readStored = (
  db: Database,
  limitName: string,
  keys: readonly string[] | null,
): Promise<readonly StoredKey[]> =>
  db.limitKeys.aggregate<StoredKey>(outside, [
    {
      $match:
        keys === null
          ? { limitName, keyId: { $gt: "" }, key: { $exists: true } }
          : { _id: { $in: keys.map((key) => keyIdOf({ limitName, key })) } },
    },
    { $set: { now: "$$NOW" } },
  ]);

/** It has bounds of its own, or is paused. */
const isOwn = (document: StoredKey): boolean =>
  (document.bounds ?? null) !== null || activePauseOf(document, document.now) !== null;

const countUnder = async (
  { jobs }: Database,
  limitKeyId: string,
): Promise<Pick<StateLimitKeyState, "running" | "pending">> => {
  const counted = (is: "running" | "pending", match: object): object[] => [
    { $match: match },
    { $count: "count" },
    { $project: { count: 1, is: { $literal: is } } },
  ];
  const isHeld = { $expr: { $gt: ["$leasedUntil", "$$NOW"] } };
  const rows = await jobs.aggregate<{ readonly is: string; readonly count: number }>(outside, [
    ...counted("running", { limitKeyId, status: "running", ...anyTurn, ...isHeld }),
    {
      $unionWith: {
        coll: jobs.name,
        pipeline: counted("pending", { limitKeyId, status: "pending" }),
      },
    },
  ]);
  const countOf = (is: string): number => rows.find((row) => row.is === is)?.count ?? 0;
  return { running: countOf("running"), pending: countOf("pending") };
};
