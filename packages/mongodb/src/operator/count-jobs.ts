// Counts the newest jobs. The bound is an ordinal, as in a search.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { within } from "../store.ts";
import { toFilter } from "./conditions.ts";
import { fewJobs, walkedJobs } from "./examine-jobs.ts";

export const countJobs =
  (db: Database): NonNullable<OperatorStore["countJobs"]> =>
  async (params) => {
    const { conditions, max, examineMax, timeoutMs } = params;
    const scope = within(timeoutMs);
    const walked = walkedJobs(conditions);
    const few = walked === null ? await fewJobs(db, scope, params, []) : null;
    // The last job to look at, and whether there is another one behind it.
    const [last, behind] =
      few === null
        ? await db.jobs.aggregate<{ ordinal: number }>(scope, [
            { $match: { ordinal: { $gte: 0 }, ...walked } },
            ...[{ $sort: { ordinal: -1 } }, { $skip: examineMax - 1 }, { $limit: 2 }],
            { $project: { _id: 0, ordinal: 1 } },
          ])
        : [];
    const range = few?.filter ?? { ordinal: { $gte: last?.ordinal ?? 0 }, ...walked };
    const [found] = await db.jobs.aggregate<{ count: number }>(scope, [
      { $match: { $and: [range, ...conditions.map(toFilter)] } },
      { $limit: max + 1 },
      { $count: "count" },
    ]);
    const count = found?.count ?? 0;
    return { count: Math.min(count, max), isAtLeast: count > max || behind !== undefined };
  };
