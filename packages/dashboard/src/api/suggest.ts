// `GET suggest`: values that a term of a filter may have, from the overview and the registry. Never from payloads.
import { filterTerms, type TermCompletion } from "queuert/operator";
import type { SuggestAnswer } from "../api-types.ts";
import { optionalText, requiredChoice } from "./read-input.ts";
import type { Call } from "./route.ts";

const valuesMax = 50;

export const suggest = async ({ operator, query }: Call): Promise<SuggestAnswer> => {
  const names = filterTerms.map(({ name }) => name);
  const field = requiredChoice("field", query.get("field"), names);
  const prefix = (optionalText("prefix", query.get("prefix")) ?? "").toLowerCase();
  const completion = filterTerms.find(({ name }) => name === field)?.completion ?? null;
  const values = await valuesOf(operator, completion);
  const found = values.filter((value) => value.toLowerCase().startsWith(prefix));
  return { values: found.slice(0, valuesMax) };
};

const valuesOf = async (
  operator: Call["operator"],
  completion: TermCompletion,
): Promise<readonly string[]> => {
  if (completion === null) return [];
  if (completion === "typeNames") {
    return (await operator.getOverview()).types.map(({ typeName }) => typeName);
  }
  if (completion === "workerIds") {
    return [...new Set((await operator.listWorkers()).map(({ workerId }) => workerId))].sort();
  }
  return completion;
};
