// The overall bounds of a type, and of the limits of its keys, in one look.
import { Gate } from "queuert/internal";
import type { Database } from "../database.ts";
import { countPermits, type LimitDocument } from "../limit-document.ts";
import type { Scope } from "../store.ts";

/** The overall bounds that jobs pass, and the tokens that they have taken. */
interface Overall {
  readonly gates: ReadonlyMap<string, Gate>;
  readonly backAtUs: ReadonlyMap<string, number>;
}

/** As of the snapshot. The limits are locked. */
export const openGates = async (
  db: Database,
  scope: Scope,
  limits: ReadonlyMap<string, LimitDocument>,
  now: Date,
): Promise<Overall> => {
  const gates = new Map<string, Gate>();
  const backAtUs = new Map<string, number>();
  for (const [name, limit] of limits) {
    if (!limit.isBounded) continue;
    const running = limit.concurrency === null ? 0 : await countPermits(db, scope, name, now);
    const use = { running, backAtUs: limit.backAtUs, now: now.getTime() };
    gates.set(name, new Gate(limit, use, (at) => backAtUs.set(name, at)));
  }
  return { gates, backAtUs };
};
