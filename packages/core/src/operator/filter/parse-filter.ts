// A filter as text becomes conditions, each with its place in the text and its cost.
import type { JobCondition } from "../../adapters/job-condition.ts";
import { InvalidOptionError } from "../../errors.ts";
import { nearNames } from "../../model/assert-known-options.ts";
import { InvalidFilterError } from "../operator-errors.ts";
import { type FilterWord, splitFilter } from "./filter-text.ts";
import { looksLikeId } from "./parse-values.ts";
import {
  filterTerms,
  inputPathPrefix,
  inputPathTerm,
  type TermCost,
  type TermDefinition,
} from "./term-table.ts";

/** One term of a filter, as it was read. */
export interface ParsedTerm {
  /** The name as it was written; null for a bare word. */
  readonly name: string | null;
  /** The term as an input field shows it. */
  readonly text: string;
  readonly position: number;
  readonly length: number;
  readonly cost: TermCost;
  readonly condition: JobCondition;
}

/** A filter as it was read: its terms, and its text in normal form. */
export interface ParsedFilter {
  /** The same filter, with relative times replaced by instants: it means the same at any later time. */
  readonly text: string;
  readonly terms: readonly ParsedTerm[];
  /** The cost of the cheapest term: it drives the search. `examined` for a filter without terms. */
  readonly cost: TermCost;
}

/**
 * Reads a filter. Relative times count from `now`.
 *
 * @example
 * ```ts
 * const { text, terms } = parseFilter("type:report status:failed since:1d", new Date());
 * ```
 */
export const parseFilter = (filter: string, now: Date): ParsedFilter => {
  if (typeof filter !== "string") {
    throw new InvalidOptionError("filter", filter, "give a text such as `status:failed`");
  }
  const terms = splitFilter(filter).map((word) => parseWord(filter, word, now));
  return {
    text: terms.map(({ text }) => text).join(" "),
    terms,
    cost: terms.some(({ cost }) => cost === "indexed") ? "indexed" : "examined",
  };
};

const parseWord = (filter: string, word: FilterWord, now: Date): ParsedTerm => {
  const { name, position, length } = word;
  const definition = name === null ? bareTerm(word) : findTerm(filter, word, name);
  const condition = definition.toCondition({ ...word, name: name ?? definition.name, filter, now });
  const moment = condition.field === "time" ? (condition.from ?? condition.to) : null;
  return {
    name,
    text:
      moment === null
        ? filter.slice(position, position + length)
        : `${word.negated ? "-" : ""}${name}:${moment.toISOString()}`,
    position,
    length,
    // An index finds the jobs that match, not the others.
    cost: word.negated ? "examined" : definition.cost,
    condition,
  };
};

const byName: ReadonlyMap<string, TermDefinition> = new Map(
  filterTerms.map((term) => [term.name, term]),
);

const findTerm = (filter: string, { position }: FilterWord, name: string): TermDefinition => {
  const found = name.startsWith(inputPathPrefix) ? inputPathTerm : byName.get(name);
  if (found !== undefined) return found;
  const [near] = nearNames(name, byName.keys());
  throw new InvalidFilterError({
    filter,
    position,
    length: name.length,
    problem: `has an unknown term \`${name}:\``,
    remedy:
      near === undefined
        ? `the terms are ${[...byName.keys()].join(", ")} and ${inputPathPrefix}<path>; quote a text that contains a colon`
        : `did you mean \`${near}:\``,
  });
};

/** A word without a name is an id if it looks like one, else a part of the input or of the error. */
const bareTerm = ({ values }: FilterWord): TermDefinition => {
  const [value] = values;
  const isId = value !== undefined && !value.isQuoted && looksLikeId(value.text);
  return isId ? idTerm : textTerm;
};

const idTerm = filterTerms.find(({ name }) => name === "id") as TermDefinition;

const textTerm: TermDefinition = {
  name: "text",
  help: "A part of the input or of the last error.",
  example: "A-17",
  cost: "examined",
  completion: null,
  toCondition: ({ values, negated }) => ({
    field: "contains",
    of: ["input", "lastAttemptError"],
    anyOf: values.map(({ text }) => text),
    negated,
  }),
};
