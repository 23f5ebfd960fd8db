// From the values of one term to its condition. A value that means nothing is refused with its position and a remedy.
import type { JobCondition } from "../../adapters/job-condition.ts";
import { limits } from "../../defaults.ts";
import { nearNames } from "../../model/assert-known-options.ts";
import { InvalidFilterError } from "../operator-errors.ts";
import type { FilterValue, FilterWord } from "./filter-text.ts";

/** One term, as its parser in the table receives it. */
export interface TermGiven extends FilterWord {
  readonly name: string;
  readonly filter: string;
  /** Relative times count from here: the clock of the store. */
  readonly now: Date;
}

/** Refuses a value, or the whole term. */
export const fail = (
  { filter, name, position }: TermGiven,
  value: FilterValue | null,
  remedy: string,
): never => {
  throw new InvalidFilterError({
    filter,
    position: value?.position ?? position,
    length: Math.max(1, value?.text.length ?? name.length),
    problem: `has a value of \`${name}:\` that has no meaning`,
    remedy,
  });
};

/** Texts that a store can hold. */
export const parseTexts = (given: TermGiven): readonly string[] => {
  for (const value of given.values) {
    if (value.text.length > limits.errorLengthMax) fail(given, value, "give a shorter text");
    if (value.text.includes("\0") || /\p{Surrogate}/u.test(value.text)) {
      fail(given, value, "leave out NUL and unpaired surrogates");
    }
  }
  return given.values.map(({ text }) => text);
};

/** One of a few words. */
export const parseChoice = <T extends string>(
  given: TermGiven,
  choices: readonly T[],
): readonly T[] =>
  given.values.map((value) => {
    const choice = choices.find((each) => each === value.text);
    if (choice !== undefined) return choice;
    const [near] = nearNames(value.text, choices);
    return fail(
      given,
      value,
      near === undefined ? `give some of ${choices.join(", ")}` : `did you mean \`${near}\``,
    );
  });

const wholeId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whole ids are looked up. A shorter text is the beginning of an id. */
export const parseIds = (given: TermGiven): JobCondition => {
  const anyOf = parseTexts(given);
  for (const value of given.values) {
    if (value.text === "" || value.text.length > limits.nameLengthMax) {
      fail(given, value, "give an id or the beginning of one");
    }
  }
  const { negated } = given;
  const areWhole = given.values.every(({ text, isQuoted }) => isQuoted || wholeId.test(text));
  return areWhole ? { field: "id", anyOf, negated } : { field: "idPrefix", anyOf, negated };
};

/** Whether a bare word is an id: a UUID, or its first 8 or more characters with a digit among them. */
export const looksLikeId = (text: string): boolean =>
  wholeId.test(text) || (/^[0-9a-f-]{8,36}$/i.test(text) && /\d/.test(text));

/** `3`, `>3`, `>=3`, `<3`, `<=3` or `2..5`. */
export const parseNumberRange = (
  given: TermGiven,
): { readonly min: number | null; readonly max: number | null } => {
  const [value, second] = given.values;
  if (value === undefined) return fail(given, null, "give a number");
  if (second !== undefined) fail(given, second, "give one number or a range such as `2..5`");
  const range = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(value.text);
  if (range !== null) return { min: Number(range[1]), max: Number(range[2]) };
  const compared = /^(>=|<=|>|<|)(-?\d{1,9})$/.exec(value.text);
  if (compared === null) return fail(given, value, "give a whole number, `>3`, `<=3` or `2..5`");
  const number = Number(compared[2]);
  switch (compared[1]) {
    case ">=":
      return { min: number, max: null };
    case ">":
      return { min: number + 1, max: null };
    case "<=":
      return { min: null, max: number };
    case "<":
      return { min: null, max: number - 1 };
    default:
      return { min: number, max: number };
  }
};

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

const isoMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** A duration before now, such as `2h`, or an ISO date. A date without a zone is UTC. */
export const parseMoment = (given: TermGiven): Date => {
  const [value, second] = given.values;
  if (value === undefined) return fail(given, null, "give a time");
  if (second !== undefined) fail(given, second, "give one time");
  const remedy = "give a duration such as `2h`, or a date such as `2026-11-18T09:00Z`";
  const duration = /^(\d{1,6})([smhdw])$/.exec(value.text);
  if (duration !== null) {
    const ms = Number(duration[1]) * (unitMs[duration[2] ?? ""] ?? 0);
    if (ms > limits.delayMsMax) fail(given, value, "give at most 100 years");
    return new Date(given.now.getTime() - ms);
  }
  const iso = isoMoment.exec(value.text);
  if (iso === null) return fail(given, value, remedy);
  const hasZone = iso[4] !== undefined || iso[1] === undefined;
  const moment = new Date(hasZone ? value.text : `${value.text}Z`);
  return Number.isNaN(moment.getTime()) ? fail(given, value, remedy) : moment;
};
