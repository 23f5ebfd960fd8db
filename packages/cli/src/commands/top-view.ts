// The screen of `top`: the status, the types in a chosen order, and a panel about the selected type.
import type { Overview, TypeOverview } from "queuert/operator";
import { type Column, tableLines } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";
import { limitLines } from "./limit-lines.ts";
import { busiestFirst, headLines, type Status, typeColumns } from "./status.ts";

type Sort = "busiest" | "due" | "failed" | "oldest due" | "name";

type Types = readonly TypeOverview[];

const sorts: Readonly<Record<Sort, (types: Types) => Types>> = {
  busiest: busiestFirst,
  due: (types) => [...types].sort((a, b) => b.due - a.due),
  failed: (types) => [...types].sort((a, b) => b.failed - a.failed),
  "oldest due": (types) => [...types].sort((a, b) => (b.oldestDueMs ?? -1) - (a.oldestDueMs ?? -1)),
  name: (types) => types,
};

const sortNames: readonly Sort[] = ["busiest", "due", "failed", "oldest due", "name"];

/** The choices of the person at the keyboard. */
export interface View {
  readonly sort: Sort;
  /** Null: the first one. */
  readonly typeName: string | null;
  /** About the selected type. Empty: closed. */
  readonly panel: readonly string[];
  /** A change that waits for `y`. */
  readonly asks: "pause" | "resume" | null;
}

export const firstView: View = { sort: "busiest", typeName: null, panel: [], asks: null };

/** The type whose row is marked. It stays so when rows change their order. */
export const selectedOf = (
  { types }: Overview,
  { sort, typeName }: View,
): TypeOverview | undefined => {
  const sorted = sorts[sort](types);
  return sorted.find((type) => type.typeName === typeName) ?? sorted[0];
};

export const withNextSort = (view: View): View => ({
  ...view,
  sort: sortNames[(sortNames.indexOf(view.sort) + 1) % sortNames.length] ?? "busiest",
});

/** Selects a row above or below. */
export const withStep = (status: Overview, view: View, step: 1 | -1): View => {
  const sorted = sorts[view.sort](status.types);
  const at = sorted.findIndex(({ typeName }) => typeName === selectedOf(status, view)?.typeName);
  const next = sorted[Math.min(Math.max(at + step, 0), sorted.length - 1)];
  return { ...view, typeName: next?.typeName ?? null, panel: [], asks: null };
};

export const isPaused = ({ pauses }: Overview, typeName: string): boolean =>
  pauses.some((pause) => pause.typeName === typeName);

const help = "↑↓ select  s sort  Enter jobs  e explain  p pause  q quits";

export const screenLines = (terminal: Terminal, status: Status, view: View): string[] => {
  const selected = selectedOf(status, view);
  const columns: readonly Column<TypeOverview>[] = [
    { title: " ", cell: ({ typeName }) => (typeName === selected?.typeName ? "›" : " ") },
    ...typeColumns,
    {
      title: "STATE",
      cell: ({ typeName }) => (isPaused(status, typeName) ? "paused" : ""),
    },
  ];
  return [
    ...headLines(terminal, status),
    "",
    ...tableLines(terminal, columns, sorts[view.sort](status.types)),
    ...(view.panel.length === 0 ? limitLines(terminal, status.limits) : ["", ...view.panel]),
    "",
    view.asks === null || selected === undefined
      ? `${help}   by ${view.sort}`
      : `${view.asks} ${selected.typeName}? y: yes, any other key: no`,
  ];
};
