import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { activePauses, pausesDocumentId, type PauseEntry } from "../pauses.ts";
import { outside } from "../store.ts";
import { lookAgainUnder, pausesWithout } from "./pause.ts";

export const resume =
  (db: Database): StateAdapter<object, object, string>["resume"] =>
  async ({ targets }) => {
    if (targets.length === 0) return [];
    const found = await db.pauses.aggregate<PauseEntry>(outside, [...activePauses]);
    const paused = new Set(found.map(({ typeName }) => typeName));
    const names = [...new Set(targets.map(({ typeName }) => typeName))];
    const left = { $set: { pauses: pausesWithout(names) } };
    await db.pauses.updateMany(outside, { _id: pausesDocumentId }, [left]);
    await lookAgainUnder(db, names);
    return targets.map(({ typeName }) => paused.has(typeName));
  };
