import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { duplicateAsConflict } from "../driver-errors.ts";
import { type TickDocument, toTickDocument } from "../schedule-document.ts";

export const recordTicks =
  (db: Database): StateAdapter<object, object, string>["recordTicks"] =>
  async ({ context, ticks }) => {
    if (ticks.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const documents = ticks.map(toTickDocument);
    const stored = await db.ticks.find(
      scope,
      { _id: { $in: documents.map(({ _id }) => _id) } },
      { projection: { outcome: 1 } },
    );
    const known = new Set(stored.map(({ _id }) => _id));
    const outcomes = new Map(stored.map(({ _id, outcome }) => [_id, outcome]));
    const written = new Map<string, TickDocument>();
    const results = documents.map((document) => {
      const outcome = outcomes.get(document._id);
      const isOpen = outcome === undefined || outcome === "missed" || outcome === "buffered";
      if (isOpen) {
        written.set(document._id, document);
        outcomes.set(document._id, document.outcome);
      }
      return isOpen;
    });
    const fresh = [...written.values()].filter(({ _id }) => !known.has(_id));
    const replaced = [...written.values()].filter(({ _id }) => known.has(_id));
    if (fresh.length > 0) await duplicateAsConflict(() => db.ticks.insertMany(scope, fresh));
    if (replaced.length > 0) {
      const updates = replaced.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $set: fields } },
      }));
      await db.ticks.bulkUpdate(scope, updates);
    }
    return results;
  };
