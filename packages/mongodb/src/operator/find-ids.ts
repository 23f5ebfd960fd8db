import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { within } from "../store.ts";

/** Behind every text that begins with the prefix. */
const last = "\u{10ffff}";

export const findIds =
  (db: Database): NonNullable<OperatorStore["findIds"]> =>
  async ({ prefix, limit, timeoutMs }) => {
    const found = await db.jobs.find(
      within(timeoutMs),
      { _id: { $gte: prefix, $lt: prefix + last } },
      { projection: { _id: 1 }, limit },
    );
    return found.map(({ _id }) => _id);
  };
