import ts from "typescript";
import { type File, isTypeScript } from "./files.ts";

/** A run of prose. A message is a text of the program, which may as well be SQL: only its words are checked. */
export type Prose = {
  readonly path: string;
  readonly kind: "comment" | "title" | "document" | "message";
  readonly lines: readonly ProseLine[];
};
type ProseLine = { readonly number: number; readonly text: string };

const isLiteral = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isRegularExpressionLiteral(node);

// `rule` is how a conformance suite names a case.
const titled = new Set(["describe", "it", "test", "suite", "rule"]);

/** The leftmost name of a call: `it` in `it.each(rows)("title")`. */
const calledName = (node: ts.Expression): string => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node))
    return calledName(node.expression);
  return ts.isTaggedTemplateExpression(node) ? calledName(node.tag) : "";
};

const isTitle = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) &&
  ts.isCallExpression(node.parent) &&
  node.parent.arguments[0] === node &&
  titled.has(calledName(node.parent.expression));

/** Errors, log lines and reasons in the sources of a package: texts of several words. */
const isMessage = (node: ts.Node, path: string): boolean =>
  /^packages\/[^/]+\/src\//.test(path) &&
  isLiteral(node) &&
  !ts.isRegularExpressionLiteral(node) &&
  /[a-z] [a-z]/.test(node.getText());

type Range = { readonly start: number; readonly end: number };

/** Comments are found between the literals, so that a `//` in a string is not a comment. */
const commentRanges = (text: string, literals: readonly Range[]): Range[] => {
  const found: Range[] = [];
  const marks = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  let next = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    while ((literals[next]?.end ?? Infinity) <= mark.index) next += 1;
    const literal = literals[next];
    if (literal !== undefined && literal.start <= mark.index) marks.lastIndex = literal.end;
    else found.push({ start: mark.index, end: mark.index + mark[0].length });
  }
  return found;
};

/** Neighbouring `//` lines are one comment. */
const joined = (text: string, ranges: readonly Range[]): Range[] => {
  const found: Range[] = [];
  for (const range of ranges) {
    const last = found.at(-1);
    const between = last && text.slice(last.end, range.start);
    if (last && text.startsWith("//", range.start) && /^\n[ \t]*$/.test(between ?? ""))
      found[found.length - 1] = { start: last.start, end: range.end };
    else found.push(range);
  }
  return found;
};

/** Without its quotes. */
const inside = ({ start, end }: Range): Range => ({ start: start + 1, end: end - 1 });

const ofSource = ({ path, text }: File): Prose[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const literals: Range[] = [];
  const titles: Range[] = [];
  const messages: Range[] = [];
  const visit = (node: ts.Node): void => {
    const range = { start: node.getStart(source), end: node.end };
    if (isLiteral(node)) literals.push(range);
    if (isTitle(node)) titles.push(range);
    else if (isMessage(node, path)) messages.push(range);
    ts.forEachChild(node, visit);
  };
  visit(source);
  literals.sort((a, b) => a.start - b.start);
  const comments = joined(text, commentRanges(text, literals));
  const between = (kind: Prose["kind"], { start, end }: Range, strip: RegExp): Prose => {
    const first = source.getLineAndCharacterOfPosition(start).line + 1;
    const lines = text.slice(start, end).split("\n");
    const plainLines = lines.map((line) => line.replace(strip, "").replace(/\*\/\s*$/, ""));
    return {
      path,
      kind,
      lines: withoutCode(plainLines).map((line, index) => ({ number: first + index, text: line })),
    };
  };
  return [
    ...comments.map((range) => between("comment", range, /^\s*(\/\/+|\/\*+|\*(?!\/))?\s?/)),
    ...titles.map((range) => between("title", inside(range), /^$/)),
    ...messages.map((range) => between("message", inside(range), /^$/)),
  ];
};

/** The same number of lines, those of blocks of code empty. */
const withoutCode = (lines: readonly string[]): string[] => {
  let isCode = false;
  return lines.map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode ? "" : line;
  });
};

/** The packages at the top of a changeset are no prose. */
const withoutFrontMatter = (text: string): string =>
  text.replace(/^---\n[\s\S]*?\n---\n/, (matter) => matter.replace(/[^\n]/g, ""));

const ofMarkdown = ({ path, text }: File): Prose[] => {
  const lines = withoutCode(withoutFrontMatter(text).split("\n"));
  const numbered = lines.map((line, index) => ({ number: index + 1, text: line }));
  return [{ path, kind: "document", lines: numbered }];
};

/** Comments, texts of tests and Markdown: all that is written for a reader. */
export const proseOf = (file: File): Prose[] => {
  if (file.path.endsWith(".md")) return ofMarkdown(file);
  return isTypeScript(file) || file.path.endsWith(".mjs") ? ofSource(file) : [];
};

/** Code is one word of its sentence; the address of a link is none. */
const plain = (text: string): string =>
  text.replace(/`[^`]*`/g, "code").replace(/\]\([^)]*\)/g, "] ");

const words = (text: string): number => plain(text).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

export const wordCount = (prose: Prose): number =>
  prose.kind === "message" ? 0 : prose.lines.reduce((sum, { text }) => sum + words(text), 0);

/** One meaning that a noun, or a plain verb, says better. Section "Language" of ARCHITECTURE.md has the reasons. */
const banned =
  /\b(who|whoever|whom|somebody|nobody|everybody|everyone|anybody|what|whatever)\b|\bnone of\b/gi;

export type Finding = { readonly path: string; readonly at: string };

export const bannedWords = (prose: Prose): Finding[] =>
  prose.lines.flatMap(({ number, text }) =>
    [...plain(text).matchAll(banned)].map(([word]) => ({
      path: prose.path,
      at: `${prose.path}:${number}: "${word}" in: ${text.trim()}`,
    })),
  );

// A list item, a heading, a row of a table and a tag of JSDoc begin anew.
const startsParagraph = /^\s*([-*|#>]|\d+\.|@\w+|oxlint-|$)/;
/** A command in a comment. */
const isIndented = /^\s{2}/;

const paragraphs = (prose: Prose): ProseLine[] => {
  const found: ProseLine[] = [];
  const isDocument = prose.kind === "document";
  let isOpen = false;
  for (const line of prose.lines) {
    const last = found.at(-1);
    const isNew = startsParagraph.test(line.text) || (!isDocument && isIndented.test(line.text));
    if (!isOpen || last === undefined || isNew) found.push(line);
    else found[found.length - 1] = { ...last, text: `${last.text} ${line.text.trim()}` };
    isOpen = line.text.trim() !== "";
  }
  return found.filter(({ text }) => text.trim() !== "");
};

const longest = 25;

/** Sentences of more than 25 words. Rows of tables are not sentences, a cell is. */
export const longSentences = (prose: Prose): Finding[] =>
  (prose.kind === "message" ? [] : paragraphs(prose)).flatMap(({ number, text }) =>
    plain(text)
      .split(/(?<=[.!?]["”)]?)\s+(?=["“(*_]*[\p{Lu}\p{N}]|code\b)|\s\|\s/u)
      .filter((sentence) => words(sentence) > longest)
      .map((sentence) => ({
        path: prose.path,
        at: `${prose.path}:${number}: ${words(sentence)} words: ${sentence.trim()}`,
      })),
  );
