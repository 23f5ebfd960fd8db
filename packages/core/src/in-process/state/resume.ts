import type { Database, InProcessMethod } from "../database.ts";
import { activePauses } from "../pauses.ts";

export const resume =
  (database: Database): InProcessMethod<"resume"> =>
  async ({ targets }) =>
    targets.length === 0
      ? []
      : database.write(undefined, "resume", (store) => {
          const active = activePauses(store);
          return targets.map(({ typeName }) => {
            store.pauses.delete(typeName);
            return active.has(typeName);
          });
        });
