// The conditions that the rows of the table share.
import type { JobCondition, SearchedField, TextField } from "../../adapters/job-condition.ts";
import { fail, parseMoment, parseNumberRange, parseTexts, type TermGiven } from "./parse-values.ts";

/** A whole text. */
export const text =
  (of: TextField) =>
  (given: TermGiven): JobCondition => ({
    field: "text",
    of,
    anyOf: parseTexts(given),
    negated: given.negated,
  });

/** A part of some texts. */
export const contains =
  (...of: readonly SearchedField[]) =>
  (given: TermGiven): JobCondition => ({
    field: "contains",
    of,
    anyOf: parseTexts(given),
    negated: given.negated,
  });

/** A number within bounds. */
export const number =
  (of: "attempt" | "priority") =>
  (given: TermGiven): JobCondition => ({
    field: "number",
    of,
    ...parseNumberRange(given),
    negated: given.negated,
  });

/** A time at or after, or before, a moment. */
export const time =
  (of: "createdAt" | "finishedAt", bound: "from" | "to") =>
  (given: TermGiven): JobCondition => {
    const moment = parseMoment(given);
    return {
      field: "time",
      of,
      from: bound === "from" ? moment : null,
      to: bound === "to" ? moment : null,
      negated: given.negated,
    };
  };

/** The value at a path of the input. An unquoted `42` matches the number and the text. */
export const inputAt = (given: TermGiven): JobCondition => {
  const path = given.name.split(".").slice(1);
  if (path.includes("")) {
    fail(given, null, "name each step of the path, such as `input.user.id:42`");
  }
  parseTexts(given);
  const anyOf = given.values.flatMap(({ text, isQuoted }) =>
    !isQuoted && /^(-?\d{1,15}(\.\d{1,15})?|true|false|null)$/.test(text)
      ? [JSON.stringify(JSON.parse(toJsonNumber(text))), JSON.stringify(text)]
      : [JSON.stringify(text)],
  );
  return { field: "inputAt", path, anyOf: [...new Set(anyOf)], negated: given.negated };
};

/** JSON has no numbers with leading zeros. */
const toJsonNumber = (text: string): string => text.replace(/^(-?)0+(?=\d)/, "$1");
