import { existsSync, readFileSync } from "node:fs";
import type { HistoryEntry } from "../checker/history.ts";

interface ErrorLine {
  readonly kind: "error";
  readonly at: number;
  readonly doing: string;
  readonly error: string;
}

type Line = HistoryEntry | ErrorLine;

/** The last line of a process that was killed may be half a one. */
const parse = (text: string): Line[] => {
  try {
    return [JSON.parse(text) as Line];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
};

/** The records of the processes, and the errors they received. */
export const readLogs = (
  paths: readonly string[],
): { readonly entries: readonly HistoryEntry[]; readonly errors: readonly ErrorLine[] } => {
  const lines = paths
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, "utf8").split("\n").filter(Boolean).flatMap(parse))
    .toSorted((one, other) => one.at - other.at);
  return {
    entries: lines.filter((line): line is HistoryEntry => line.kind !== "error"),
    errors: lines.filter((line): line is ErrorLine => line.kind === "error"),
  };
};
