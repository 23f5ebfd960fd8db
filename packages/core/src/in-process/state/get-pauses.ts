import type { StatePause } from "../../adapters/state-adapter-params.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { activePauses } from "../pauses.ts";

export const getPauses =
  (database: Database): InProcessMethod<"getPauses"> =>
  async () =>
    database.write(undefined, "getPauses", (store) =>
      [...activePauses(store)]
        .map(([typeName, { pausedAt, until, note }]): StatePause => ({
          typeName,
          pausedAt: new Date(pausedAt),
          until: until === null ? null : new Date(until),
          note,
        }))
        .sort(byTypeName),
    );

/** Everything first, then types by name. */
const byTypeName = ({ typeName: left }: StatePause, { typeName: right }: StatePause): number =>
  (left ?? "") < (right ?? "") ? -1 : 1;
