// Parameters in the text of a statement.

// Quoted names and texts, which may contain `$1`, are skipped.
const tokens = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)/g;

/** Replaces each `$n` by another text. The index counts from 0. */
export const mapParameters = (sql: string, toText: (index: number) => string): string =>
  sql.replace(tokens, (token, number: string | undefined) =>
    number === undefined ? token : toText(Number(number) - 1),
  );

/** The texts around the parameters, and the index of each parameter, in the order of the text. */
export const splitAtParameters = (
  sql: string,
): { readonly parts: readonly string[]; readonly indexes: readonly number[] } => {
  const parts: string[] = [];
  const indexes: number[] = [];
  let end = 0;
  for (const { 0: token, 1: number, index } of sql.matchAll(tokens)) {
    if (number === undefined) continue;
    parts.push(sql.slice(end, index));
    indexes.push(Number(number) - 1);
    end = index + token.length;
  }
  return { parts: [...parts, sql.slice(end)], indexes };
};
