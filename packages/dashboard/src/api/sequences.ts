// `GET sequences`: one page of a search of sequences.
import type { SequencesAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { toChips } from "./jobs.ts";
import { optionalChoice, optionalCount, optionalText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const sequences = async ({ operator, payloads, query }: Call): Promise<SequencesAnswer> => {
  const { at, items, nextCursor, examined, filter } = await operator.listSequences({
    filter: optionalText("q", query.get("q")),
    rootsOnly: optionalChoice("roots", query.get("roots"), ["true", "false"]) === "true",
    order: optionalChoice("order", query.get("order"), ["asc", "desc"]),
    limit: optionalCount("limit", query.get("limit")),
    cursor: optionalText("cursor", query.get("cursor")),
    payloads,
  });
  const { cost } = filter;
  return {
    at: asJson(at),
    items: asJson(items),
    nextCursor,
    examined,
    parsed: toChips(filter),
    cost,
  };
};
