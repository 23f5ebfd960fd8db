import { limits } from "../defaults.ts";

/** The text of a job's last error: the stack and its causes where there are any, cut to a bound. Never throws. */
export const describeError = (error: unknown): string => {
  try {
    return describeWithCauses(error);
  } catch {
    // A getter or a proxy of the user's that throws when it is read.
    return "An error that cannot be read: reading it throws.";
  }
};

/** How much of a message stands in a sentence of the log. */
const reasonLengthMax = 300;

/** The first line of an error's message, for a sentence. Never throws. */
export const describeReason = (error: unknown): string => {
  try {
    const text = error instanceof Error ? error.message || error.name : describeOne(error);
    const [line = ""] = String(text)
      .trim()
      .split(/\r\n|\r|\n/, 1);
    return escapeControls(line.slice(0, reasonLengthMax)) || "no message";
  } catch {
    return "an error that cannot be read";
  }
};

/** Line breaks and escape sequences in a name must not make a line of their own in a log. */
export const escapeControls = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- control characters are the point
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)
    ? text.replace(
        // eslint-disable-next-line no-control-regex -- control characters are the point
        /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
        (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : text;

const describeWithCauses = (error: unknown): string => {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current !== undefined && current !== null; depth++) {
    parts.push(describeOne(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  const text = parts.length === 0 ? String(error) : parts.join("\nCaused by: ");
  // NUL and unpaired surrogates cannot be stored as UTF-8 text everywhere.
  return text
    .slice(0, limits.errorLengthMax)
    .replaceAll("\0", "\\0")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
};

const describeOne = (error: unknown): string => {
  if (error instanceof Error) return readStack(error);
  if (typeof error === "string") return error;
  if (typeof error !== "object" && typeof error !== "function") return String(error);
  return describeObject(error as object);
};

/** Its fields may be anything, such as a whole response: an error from another realm has a message, others have none. */
const describeObject = (error: object): string => {
  const { message, stack } = error as Partial<Error>;
  if (typeof stack === "string" && stack !== "") return stack;
  return typeof message === "string" && message !== ""
    ? message
    : "A thrown object that is not an Error: its fields are not recorded.";
};

const readStack = (error: Error): string => {
  // Neither has to be a string, in spite of their types.
  const message = String(error.message);
  const headline = `${String(error.name)}: ${message}`;
  const { stack } = error;
  if (typeof stack !== "string" || stack === "") return headline;
  // V8 fixes the headline when the error is made; a message or name set later is missing from the stack.
  return stack.includes(message) ? stack : `${headline}\n${stack}`;
};

/** Names a bad value in an error message: numbers and dates as they are, everything else by its kind only. */
export const describeValue = (value: unknown): string => {
  if (value === null) return "null";
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
  }
  switch (typeof value) {
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "string":
      return value === "" ? "an empty string" : `a string of ${value.length} characters`;
    case "object":
      if (value instanceof Promise) return "a promise that was not awaited";
      return Array.isArray(value) ? "an array" : "an object";
    default:
      return `a ${typeof value}`;
  }
};
