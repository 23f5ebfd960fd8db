// Arrays are sent as text, in PostgreSQL's own notation, and are cast on the server. Drivers and query builders treat
// JavaScript arrays differently; all treat a string alike.

type Element = string | number | boolean | null;

/** `["a", null]` → `{"a",NULL}`. */
export const toArrayLiteral = (elements: readonly Element[]): string => {
  let text = "{";
  for (let index = 0; index < elements.length; index++) {
    if (index > 0) text += ",";
    text += toElement(elements[index] ?? null);
  }
  return `${text}}`;
};

/**
 * The same for a column of which most calls use nothing: `{}` if every element is null. `unnest` pads the shorter of its
 * arguments with NULL, so the column need not be sent.
 */
export const toSparseArrayLiteral = (elements: readonly Element[]): string =>
  elements.every((element) => element === null) ? "{}" : toArrayLiteral(elements);

const toElement = (element: Element): string => {
  if (element === null) return "NULL";
  if (typeof element !== "string") return String(element);
  if (element.includes("\\")) return `"${element.replace(escaped, "\\$&")}"`;
  // Payloads are full of quotes and hardly ever have anything else: twice as fast as the expression.
  return `"${element.replaceAll('"', '\\"')}"`;
};

const escaped = /["\\]/g;
