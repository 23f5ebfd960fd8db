// The limits of job types with their use, and the keys that have bounds of their own or are paused.
import type { LimitView } from "queuert/operator";
import { formatCount } from "../output/durations.ts";
import { type Column, tableLines } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";

interface Line {
  readonly name: string;
  readonly running: number;
  readonly concurrency: number | null;
  readonly tokens: number | null;
  readonly pending: number | null;
  readonly state: string;
}

const numberOrDash = (value: number | null): string =>
  value === null ? "–" : formatCount(Math.floor(value));

const columns: readonly Column<Line>[] = [
  { title: "LIMIT", cell: ({ name }) => name, flexible: true },
  {
    title: "RUN/MAX",
    cell: ({ running, concurrency }) => `${formatCount(running)}/${numberOrDash(concurrency)}`,
    align: "right",
  },
  { title: "TOKENS", cell: ({ tokens }) => numberOrDash(tokens), align: "right" },
  { title: "PENDING", cell: ({ pending }) => numberOrDash(pending), align: "right" },
  { title: "", cell: ({ state }) => state },
];

export const limitTable = (terminal: Terminal, limits: readonly LimitView[]): string[] => {
  const lines = limits.flatMap(toLines);
  return lines.length === 0 ? [] : tableLines(terminal, columns, lines);
};

/** The same below another table. */
export const limitLines = (terminal: Terminal, limits: readonly LimitView[]): string[] => {
  const lines = limitTable(terminal, limits);
  return lines.length === 0 ? [] : ["", ...lines];
};

const toLines = ({ name, running, concurrency, tokens, keys }: LimitView): readonly Line[] => [
  { ...{ name, running, concurrency, tokens }, pending: null, state: "" },
  ...(keys ?? []).map((key): Line => ({
    ...{ name: `  ${key.key}`, running: key.running, concurrency: key.concurrency },
    ...{ tokens: key.tokens, pending: key.pending },
    state: key.pause === null ? "" : "paused",
  })),
];
