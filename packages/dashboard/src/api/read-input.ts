// Reads the query and the body of a request. Bad input is refused by its name, before anything is done.
import { DashboardError } from "../dashboard-error.ts";

const bad = (message: string): DashboardError =>
  new DashboardError("QUEUERT_DASHBOARD_BAD_REQUEST", message);

/** Refuses names that the route does not have, and those that are given twice. */
export const assertNames = (given: Iterable<string>, names: readonly string[]): void => {
  const seen = new Set<string>();
  for (const name of given) {
    if (!names.includes(name)) {
      throw bad(`"${name}" is not known here: give ${names.join(", ") || "nothing"}.`);
    }
    if (seen.has(name)) throw bad(`"${name}" was given twice: give it once.`);
    seen.add(name);
  }
};

const textMax = 10_000;

/** A text of the query or of the body. Undefined: left out. */
export const optionalText = (name: string, value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw bad(`"${name}" is not a text: give a text.`);
  if (value.length > textMax)
    throw bad(`"${name}" has more than ${textMax} characters: shorten it.`);
  return value;
};

export const requiredText = (name: string, value: unknown): string => {
  const text = optionalText(name, value);
  if (text === undefined || text === "") throw bad(`"${name}" is missing: give a text.`);
  return text;
};

/** An instant with its offset, such as `2026-11-20T07:00:00Z`. Without one it would be a time of the server's zone. */
export const requiredInstant = (name: string, value: unknown): Date => {
  const text = requiredText(name, value);
  const at = new Date(text);
  if (/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw bad(`"${name}" is not an instant: give one such as 2026-11-20T07:00:00Z.`);
};

/** An array of texts of the body. Undefined: left out. */
export const optionalTexts = (name: string, value: unknown): readonly string[] | undefined => {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw bad(`"${name}" is not an array: give an array of texts.`);
  return value.map((each) => requiredText(name, each));
};

/** A whole number of the body. Undefined: left out. */
export const optionalNumber = (name: string, value: unknown): number | undefined => {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value)) return value as number;
  throw bad(`"${name}" is not a whole number: give one.`);
};

/** A whole number of the query. Undefined: left out. */
export const optionalCount = (name: string, value: string | null): number | undefined => {
  if (value === null) return undefined;
  if (!/^\d{1,15}$/.test(value)) throw bad(`"${name}" is not a whole number: give one from 0.`);
  return Number(value);
};

/** One of some names. Undefined: left out. */
export const optionalChoice = <T extends string>(
  name: string,
  value: unknown,
  choices: readonly T[],
): T | undefined => {
  if (value === undefined || value === null) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw bad(`"${name}" is not known: give one of ${choices.join(", ")}.`);
  return found;
};

export const requiredChoice = <T extends string>(
  name: string,
  value: unknown,
  choices: readonly T[],
): T => {
  const found = optionalChoice(name, value, choices);
  if (found === undefined) throw bad(`"${name}" is missing: give one of ${choices.join(", ")}.`);
  return found;
};

/** The JSON object of a body. */
export const readBody = (text: string): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (error) {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_BAD_REQUEST",
      "The body is not JSON: send a JSON object.",
      { cause: error },
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw bad("The body is not a JSON object: send one.");
  }
  return value as Readonly<Record<string, unknown>>;
};
