// The columns of `list`, by the names of `--columns`.
import type { JobView } from "queuert/operator";
import { CliUsageError } from "../errors.ts";
import { formatAge, formatTime } from "../output/durations.ts";
import type { Column } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";

type Cell = (job: JobView, look: Look) => string;

interface Look {
  readonly now: Date;
  readonly terminal: Pick<Terminal, "isTty" | "isUtc">;
}

/** People read ages. Programs read times. */
const when = (at: Date | null, { now, terminal }: Look): string => {
  if (at === null) return "–";
  return terminal.isTty ? formatAge(at, now) : formatTime(at, terminal.isUtc);
};

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

interface Definition {
  readonly cell: Cell;
  readonly align?: "right";
  readonly flexible?: boolean;
}

const columns: Readonly<Record<string, Definition>> = {
  id: { cell: ({ id }) => id },
  type: { cell: ({ typeName }) => typeName, flexible: true },
  status: { cell: ({ status }) => status },
  attempt: { cell: ({ attempt }) => String(attempt), align: "right" },
  priority: { cell: ({ priority }) => String(priority), align: "right" },
  created: { cell: ({ createdAt }, look) => when(createdAt, look) },
  due: { cell: ({ scheduledAt }, look) => when(scheduledAt, look) },
  finished: { cell: ({ finishedAt }, look) => when(finishedAt, look) },
  worker: { cell: ({ leasedBy, completedBy }) => leasedBy ?? completedBy ?? "–", flexible: true },
  key: { cell: ({ deduplicationKey }) => deduplicationKey ?? "–", flexible: true },
  sequence: { cell: ({ sequenceId }) => sequenceId },
  root: { cell: ({ rootSequenceId }) => rootSequenceId },
  why: { cell: ({ why }) => why.text, flexible: true },
  error: { cell: ({ error }) => (error === null ? "–" : firstLine(error.text)), flexible: true },
  input: { cell: ({ input }) => input.text, flexible: true },
  output: { cell: ({ output }) => output?.text ?? "–", flexible: true },
};

const defaultNames = ["id", "type", "status", "attempt", "created", "why"];

/** The columns of a comma list; without one, the usual ones. `input.user.id` is a value of the input. */
export const chooseColumns = (list: string | undefined, look: Look): Column<JobView>[] =>
  (list?.split(",") ?? defaultNames).map((name) => {
    const definition = Object.hasOwn(columns, name) ? columns[name] : inputColumn(name);
    if (definition === undefined) {
      throw new CliUsageError(
        `--columns has no column "${name}". Columns: ${Object.keys(columns).join(", ")}, input.<path>.`,
      );
    }
    const { cell, ...rest } = definition;
    return { title: name.toUpperCase(), cell: (job) => cell(job, look), ...rest };
  });

const inputColumn = (name: string): Definition | undefined => {
  if (!name.startsWith("input.")) return undefined;
  const path = name.slice("input.".length).split(".");
  return { cell: ({ input }) => valueAt(input.text, path), flexible: true };
};

/** The value at a path of a payload that is shown whole. */
const valueAt = (text: string, path: readonly string[]): string => {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    // A payload that is too long for a list is cut: its values are not known here.
    return "…";
  }
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return "–";
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return typeof value === "string" ? value : JSON.stringify(value);
};
