import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateJob } from "../job-document.ts";
import {
  createdWithin,
  pageAfter,
  sequenceMembers,
  sequenceTypeIn,
  treeMembers,
} from "./list-filters.ts";

export const listJobs =
  (db: Database): StateAdapter<object, object, string>["listJobs"] =>
  async (params) => {
    const { sequenceTypeNames = null } = params;
    const { context, typeNames, statuses, sequenceId, rootSequenceId, order, limit } = params;
    if (limit <= 0) return [];
    const conditions = [
      pageAfter(params),
      createdWithin(params),
      ...(typeNames === null ? [] : [{ typeName: { $in: typeNames } }]),
      ...(sequenceTypeNames === null ? [] : [sequenceTypeIn(sequenceTypeNames)]),
      ...(statuses === null ? [] : [{ status: { $in: statuses } }]),
      ...(sequenceId === null ? [] : [sequenceMembers([sequenceId])]),
      ...(rootSequenceId === null ? [] : [treeMembers([rootSequenceId])]),
    ];
    const found = await db.jobs.find(
      db.scopeOf(context, params.timeoutMs),
      { $and: conditions },
      { sort: { ordinal: order === "asc" ? 1 : -1 }, limit },
    );
    return found.map(toStateJob);
  };
