import type { Database, InProcessOperatorMethod } from "../database.ts";
import { viewJob } from "../views.ts";

/** The keys of a map are in no order: all of them are compared. */
export const findIds =
  (database: Database): InProcessOperatorMethod<"findIds"> =>
  async ({ prefix, limit }) =>
    database.read(undefined, "findIds", (store) => {
      const ids: string[] = [];
      for (const [id, stored] of store.byId) {
        if (ids.length === limit) break;
        if (id.startsWith(prefix) && viewJob(stored, "committed") !== undefined) ids.push(id);
      }
      return ids;
    });
