// Limits that are paused, for all keys under them.
import type { Database } from "../database.ts";
import { activePauses, type PauseEntry } from "../pauses.ts";
import { outside } from "../store.ts";
import type { LimitKeyDocument } from "./key-document.ts";

/** The pauses that have not ended, by name. */
export type LimitPauses = ReadonlyMap<string | null, PauseEntry>;

export const noPauses: LimitPauses = new Map();

/** The key with the pause of its limit, if that ends later than its own. */
export const underPause = (document: LimitKeyDocument, pauses: LimitPauses): LimitKeyDocument => {
  const ofLimit = pauses.get(document.limitName);
  if (ofLimit === undefined) return document;
  const endOf = ({ until }: { readonly until: Date | null }): number =>
    until?.getTime() ?? Infinity;
  const { pause } = document;
  return pause && endOf(pause) >= endOf(ofLimit) ? document : { ...document, pause: ofLimit };
};

export const readPausedLimits = async (db: Database): Promise<LimitPauses> => {
  const found = await db.pauses.aggregate<PauseEntry>(outside, [...activePauses]);
  return new Map(found.map((pause) => [pause.typeName, pause]));
};
