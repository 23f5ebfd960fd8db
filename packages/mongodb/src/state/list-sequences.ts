import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import type { JobDocument } from "../job-document.ts";
import { toSequenceDocuments, toStateSequence, withLastJob } from "../sequences.ts";
import { createdWithin, pageAfter, treeMembers } from "./list-filters.ts";

export const createListSequences =
  (db: Database): StateAdapter<object, object, string>["listSequences"] =>
  async (params) => {
    const { context, typeNames, statuses, rootSequenceId, order, limit } = params;
    if (limit <= 0) return [];
    const conditions = [
      { position: 0 },
      pageAfter(params),
      createdWithin(params),
      ...(typeNames === null ? [] : [{ typeName: { $in: typeNames } }]),
      ...(rootSequenceId === null ? [] : [treeMembers([rootSequenceId])]),
    ];
    // Streamed in order: sequences are looked at until the page is full, and no further.
    const currentStatus = { $ifNull: [{ $first: "$last.status" }, "$status"] };
    const found = await db.jobs.aggregate<JobDocument & { readonly last: readonly JobDocument[] }>(
      db.scopeOf(context),
      [
        { $match: { $and: conditions } },
        { $sort: { ordinal: order === "asc" ? 1 : -1 } },
        withLastJob(db.jobs.name),
        ...(statuses === null ? [] : [{ $match: { $expr: { $in: [currentStatus, statuses] } } }]),
        { $limit: limit },
      ],
    );
    return found.map((each) => toStateSequence(toSequenceDocuments(each)));
  };
