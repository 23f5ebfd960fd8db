// The words of a filter: terms apart by spaces, each `name:value,value`. A value in quotes may contain anything.
import { InvalidFilterError } from "../operator-errors.ts";

/** One word of a filter, before its name is known. */
export interface FilterWord {
  readonly negated: boolean;
  /** Null for a bare word. */
  readonly name: string | null;
  readonly values: readonly FilterValue[];
  readonly position: number;
  readonly length: number;
}

export interface FilterValue {
  readonly text: string;
  /** A value in quotes is a text, never a number. */
  readonly isQuoted: boolean;
  readonly position: number;
}

/** Longer filters are refused: each term is one more condition on every row. */
export const filterLimits: { readonly characters: number; readonly terms: number } = {
  characters: 10_000,
  terms: 50,
};

/** Splits a filter into its words. */
export const splitFilter = (filter: string): readonly FilterWord[] => {
  if (filter.length > filterLimits.characters) {
    throw new InvalidFilterError({
      filter: filter.slice(0, 100),
      position: filterLimits.characters,
      length: filter.length - filterLimits.characters,
      problem: `has ${filter.length} characters, more than are allowed,`,
      remedy: `give at most ${filterLimits.characters} characters`,
    });
  }
  const words: FilterWord[] = [];
  const reader = new Reader(filter);
  for (;;) {
    reader.skipSpaces();
    if (reader.isAtEnd) return words;
    words.push(readWord(reader));
    if (words.length > filterLimits.terms) {
      reader.fail(
        reader.position,
        "has too many terms",
        `give at most ${filterLimits.terms}, and join values of one name by commas`,
      );
    }
  }
};

const readWord = (reader: Reader): FilterWord => {
  const position = reader.position;
  const negated = reader.take("-");
  const name = reader.takeName();
  const values: FilterValue[] = [];
  const isNext = name === null ? () => false : () => reader.take(",");
  do values.push(readValue(reader, name));
  while (isNext());
  return { negated, name, values, position, length: reader.position - position };
};

const readValue = (reader: Reader, name: string | null): FilterValue => {
  const position = reader.position;
  if (reader.take('"')) return { text: readQuoted(reader, position), isQuoted: true, position };
  const text = reader.takeWhile((character) =>
    name === null ? !/[\s"]/.test(character) : !/[\s",]/.test(character),
  );
  if (text === "") {
    const owner = name === null ? "is not complete" : `has no value for \`${name}:\``;
    reader.fail(position, owner, 'write a value, or two quotes ("") for an empty text');
  }
  return { text, isQuoted: false, position };
};

const readQuoted = (reader: Reader, begin: number): string => {
  let text = "";
  for (;;) {
    text += reader.takeWhile((character) => character !== '"' && character !== "\\");
    if (reader.take('"')) break;
    if (reader.take("\\") && !reader.isAtEnd) text += reader.takeOne();
    else if (reader.isAtEnd) {
      reader.fail(begin, "has a quote that is not closed", 'close it with a second quote (")');
    }
  }
  if (!reader.isAtEnd && !/[\s,]/.test(reader.peek())) {
    reader.fail(reader.position, "continues after a closing quote", "write a space or a comma");
  }
  return text;
};

class Reader {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#text.length;
  }

  peek(): string {
    return this.#text.charAt(this.position);
  }

  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.position++;
    return true;
  }

  takeOne(): string {
    const character = this.peek();
    this.position++;
    return character;
  }

  takeWhile(isPart: (character: string) => boolean): string {
    const begin = this.position;
    while (!this.isAtEnd && isPart(this.peek())) this.position++;
    return this.#text.slice(begin, this.position);
  }

  skipSpaces(): void {
    this.takeWhile((character) => /\s/.test(character));
  }

  /** `name:`, if that is next. Names have letters, digits, `-`, `_`, `$` and `.`. */
  takeName(): string | null {
    const found = /^[A-Za-z][\w$.-]*(?=:)/.exec(this.#text.slice(this.position))?.[0];
    if (found === undefined) return null;
    this.position += found.length + 1;
    return found;
  }

  fail(position: number, problem: string, remedy: string): never {
    const length = Math.max(1, this.position - position);
    throw new InvalidFilterError({ filter: this.#text, position, length, problem, remedy });
  }
}
