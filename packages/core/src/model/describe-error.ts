import { limits } from "../defaults.ts";

/** What is stored as a job's last error: the stack and its causes where there are any, cut to a bound. Never throws. */
export const describeError = (error: unknown): string => {
  try {
    return describeWithCauses(error);
  } catch {
    // A getter or a proxy of the user's that throws when it is read.
    return "An error that cannot be read: reading it throws.";
  }
};

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
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    // Cyclic or with a BigInt in it: its kind must do.
    return Object.prototype.toString.call(error);
  }
};

const readStack = (error: Error): string => {
  // Neither has to be a string, whatever their types say.
  const message = String(error.message);
  const headline = `${String(error.name)}: ${message}`;
  const { stack } = error;
  if (typeof stack !== "string" || stack === "") return headline;
  // V8 fixes the headline when the error is made; a message or name set later is missing from the stack.
  return stack.includes(message) ? stack : `${headline}\n${stack}`;
};
