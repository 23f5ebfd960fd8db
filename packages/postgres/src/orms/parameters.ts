// Parameters in the text of a statement. Some ORMs number parameters themselves.

// Quoted names and texts, which may contain `$1`, are skipped.
const tokens = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)/g;

/** Replaces each `$n` by another text. The index counts from 0. */
export const mapParameters = (sql: string, toText: (index: number) => string): string =>
  sql.replace(tokens, (token, number: string | undefined) =>
    number === undefined ? token : toText(Number(number) - 1),
  );
