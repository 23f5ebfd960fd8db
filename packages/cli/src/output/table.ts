// Tables as kubectl prints them: columns by two spaces, no lines. In a terminal they fit its width. In a pipe they are separated by
// tabs and never cut.
import type { Terminal } from "../terminal.ts";
import { safeLine, truncated, widthOf } from "./safe-text.ts";

export interface Column<TRow> {
  readonly title: string;
  readonly cell: (row: TRow) => string;
  /** Numbers stand at the right. */
  readonly align?: "right";
  /** Cut first if the terminal is narrow. */
  readonly flexible?: boolean;
}

const gap = 2;
const flexibleMin = 8;

/** The lines of a table, its header first. */
export const tableLines = <TRow>(
  terminal: Pick<Terminal, "isTty" | "width">,
  columns: readonly Column<TRow>[],
  rows: readonly TRow[],
): string[] => {
  const cells = rows.map((row) => columns.map(({ cell }) => safeLine(cell(row))));
  const titles = columns.map(({ title }) => title);
  if (!terminal.isTty) return [titles, ...cells].map((row) => row.join("\t"));
  const widths = fitted(
    columns.map((_, index) =>
      Math.max(...[titles, ...cells].map((row) => widthOf(row[index] ?? ""))),
    ),
    columns,
    terminal.width,
  );
  return [titles, ...cells].map((row) =>
    row
      .map((cell, index) => padded(cell, widths[index] ?? 0, columns[index]?.align))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
};

const padded = (cell: string, width: number, align: "right" | undefined): string => {
  const text = truncated(cell, width);
  const spaces = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? spaces + text : text + spaces;
};

/** Narrows the flexible columns first, the widest of them before the others, then any. */
const fitted = <TRow>(
  wanted: readonly number[],
  columns: readonly Column<TRow>[],
  available: number,
): number[] => {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
  const shrink = (isChosen: (index: number) => boolean, min: number): void => {
    while (total() > available) {
      let widest = -1;
      for (const [index, width] of widths.entries()) {
        if (isChosen(index) && width > min && width > (widths[widest] ?? 0)) widest = index;
      }
      if (widest < 0) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  shrink((index) => columns[index]?.flexible === true, flexibleMin);
  shrink(() => true, 4);
  return widths;
};
