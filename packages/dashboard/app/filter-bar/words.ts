// The words of a filter with their places, so that the field can show chips and complete the word at the cursor. Their meaning
// is the server's.
import type { Term } from "../answers/types.ts";

export interface FilterWord {
  readonly text: string;
  readonly position: number;
}

/** Splits at spaces that are not within quotes. */
export const wordsOf = (filter: string): readonly FilterWord[] => {
  const words: FilterWord[] = [];
  let start = -1;
  let isQuoted = false;
  for (let at = 0; at <= filter.length; at++) {
    const character = filter[at];
    if (character === "\\" && isQuoted) {
      at++;
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    const isEnd = character === undefined || (character === " " && !isQuoted);
    if (!isEnd && start < 0) start = at;
    if (isEnd && start >= 0) {
      words.push({ text: filter.slice(start, at), position: start });
      start = -1;
    }
  }
  return words;
};

export const wordAt = (filter: string, cursor: number): FilterWord =>
  wordsOf(filter).find(
    ({ text, position }) => position <= cursor && cursor <= position + text.length,
  ) ?? { text: "", position: cursor };

export interface Completion {
  /** The whole word after the completion. */
  readonly word: string;
  readonly label: string;
  readonly help: string;
  readonly cost: Term["cost"] | null;
  /** The word is whole: the cursor goes behind it. */
  readonly isWhole: boolean;
}

/** The term that the cursor is in, such as `type` in `-type:a,b`. */
export const termAt = (
  word: string,
  terms: readonly Term[],
): { readonly term: Term; readonly head: string; readonly value: string } | null => {
  const found = /^(-?)([\w-]+):(.*)$/.exec(word);
  const term = terms.find(({ name }) => name === found?.[2]);
  if (found === null || term === undefined) return null;
  const values = found[3] ?? "";
  const comma = values.lastIndexOf(",");
  const head = word.slice(0, word.length - values.length + comma + 1);
  return { term, head, value: values.slice(comma + 1) };
};

const completionsMax = 8;

/** Completes the name of a term. */
export const completeName = (word: string, terms: readonly Term[]): readonly Completion[] => {
  const sign = word.startsWith("-") ? "-" : "";
  const start = word.slice(sign.length).toLowerCase();
  return terms
    .filter(({ name }) => name.startsWith(start))
    .slice(0, completionsMax)
    .map(({ name, help, cost }) => ({
      word: `${sign}${name}:`,
      label: `${sign}${name}:`,
      help,
      cost,
      isWhole: false,
    }));
};

/** Completes a value from a list. */
export const completeValue = (
  head: string,
  value: string,
  values: readonly string[],
): readonly Completion[] =>
  values
    .filter((each) => each.toLowerCase().includes(value.toLowerCase()) && each !== value)
    .slice(0, completionsMax)
    .map((each) => ({
      word: `${head}${quote(each)}`,
      label: each,
      help: "",
      cost: null,
      isWhole: true,
    }));

const quote = (value: string): string =>
  /^[^\s",]+$/.test(value) ? value : `"${value.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;

/** The filter without one word. */
export const without = (filter: string, { text, position }: FilterWord): string =>
  `${filter.slice(0, position)}${filter.slice(position + text.length)}`
    .replaceAll(/ {2,}/g, " ")
    .trim();
