// Texts from jobs reach a terminal only through here. A control character in a payload could otherwise clear the screen, write
// a false line, or answer for the terminal.

// Control characters, format characters such as marks of direction, line separators, unpaired surrogates.
const unsafe = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Surrogate}/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const escaped = (character: string): string =>
  named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** One line, in which each character can be seen. */
export const safeLine = (text: string): string => text.replace(unsafe, escaped);

/** Several lines: line breaks stay, as those of a stack do. */
export const safeLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => safeLine(line))
    .join("\n");

// East Asian wide characters and emoji. An approximation: a wrong guess moves a column by one place.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const zeroWidth = /\p{Mn}|\p{Me}/u;

/** The columns that a line takes in a terminal. */
export const widthOf = (line: string): number => {
  let width = 0;
  for (const character of line) {
    if (!zeroWidth.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
};

/** The line, or its beginning with "…", in at most `width` columns. */
export const truncated = (line: string, width: number): string => {
  if (widthOf(line) <= width) return line;
  let kept = "";
  let used = 0;
  for (const character of line) {
    const next = widthOf(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return width <= 0 ? "" : `${kept}…`;
};
