import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type ListSequencesParams, toStateSequence } from "../sequences.ts";
import { createdWithin, pageAfter, treeMembers } from "./list-filters.ts";

export const listSequences =
  (db: Database): StateAdapter<object, object, string>["listSequences"] =>
  async (params) => {
    if (params.limit <= 0) return [];
    const page = await db.sequences.list(
      db.scopeOf(params.context, params.timeoutMs),
      params,
      toFilter,
    );
    return page.map(toStateSequence);
  };

const toFilter = (params: ListSequencesParams): object => {
  const { typeNames, rootSequenceId } = params;
  const conditions = [
    { position: 0 },
    pageAfter(params),
    createdWithin(params),
    ...(typeNames === null ? [] : [{ typeName: { $in: typeNames } }]),
    ...(rootSequenceId === null ? [] : [treeMembers([rootSequenceId])]),
  ];
  return { $and: conditions };
};
