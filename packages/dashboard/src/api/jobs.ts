// `GET jobs`: one page of a search. It may have no items although more jobs match.
import type { ParsedFilter } from "queuert/operator";
import type { Chip, JobsAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalChoice, optionalCount, optionalText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const jobs = async ({ operator, payloads, query }: Call): Promise<JobsAnswer> => {
  const { at, items, nextCursor, examined, examinedTo, filter } = await operator.listJobs({
    filter: optionalText("q", query.get("q")),
    order: optionalChoice("order", query.get("order"), ["asc", "desc"]),
    limit: optionalCount("limit", query.get("limit")),
    cursor: optionalText("cursor", query.get("cursor")),
    payloads,
  });
  return {
    at: asJson(at),
    items: asJson(items),
    nextCursor,
    examined,
    examinedTo: asJson(examinedTo),
    parsed: toChips(filter),
    cost: filter.cost,
  };
};

export const toChips = ({ terms }: ParsedFilter): readonly Chip[] =>
  terms.map(({ name, text, position, length, cost }) => ({ name, text, position, length, cost }));
