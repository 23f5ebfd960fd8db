import type { StateAdapter, StatePause } from "queuert/internal";
import type { Database } from "../database.ts";
import { activePauses, type PauseEntry } from "../pauses.ts";
import { outside } from "../store.ts";

export const getPauses =
  (db: Database): StateAdapter<object, object, string>["getPauses"] =>
  async () => {
    const found = await db.pauses.aggregate<PauseEntry>(outside, [...activePauses]);
    return found
      .map(({ typeName, pausedAt, until, note }): StatePause => ({
        ...{ typeName, pausedAt, until, note },
      }))
      .sort(byTypeName);
  };

/** That of every type first, then types by name. */
const byTypeName = ({ typeName: left }: StatePause, { typeName: right }: StatePause): number =>
  (left ?? "") < (right ?? "") ? -1 : 1;
