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
