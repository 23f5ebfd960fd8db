import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const listLogs =
  (db: Database): NonNullable<OperatorStore["listLogs"]> =>
  async ({ jobId, after }) => {
    const later = after && {
      $or: [
        { leaseVersion: { $gt: after.leaseVersion } },
        { leaseVersion: after.leaseVersion, firstLine: { $gt: after.firstLine } },
      ],
    };
    const sort = { leaseVersion: 1, firstLine: 1 } as const;
    const found = await db.logs.find(outside, { jobId, ...later }, { sort });
    return found.map(({ leaseVersion, attempt, firstLine, lines }) => ({
      ...{ leaseVersion, attempt, firstLine, lines },
    }));
  };
