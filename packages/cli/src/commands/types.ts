import type { TypeOverview } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { formatCount, formatDuration } from "../output/durations.ts";
import { type Column, tableLines } from "../output/table.ts";

export const addTypes: AddCommand = (program, run) => {
  program
    .command("types")
    .description("job types: their workers, their jobs, and the attempts of the last 10 minutes")
    .action(() => run(types));
};

const types = async (context: CommandContext): Promise<Report> => {
  const operator = await (await context.access()).operator();
  const { types: found } = await operator.getOverview();
  return {
    json: found,
    rows: found,
    lines: found.length === 0 ? [] : tableLines(context.terminal, columns, found),
    notes: found.length === 0 ? ["no job type is known: none has jobs, a worker or attempts"] : [],
  };
};

const countOrDash = (count: number | null | undefined): string =>
  count === null || count === undefined || count === 0 ? "–" : formatCount(count);
const timeOrDash = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? "–" : formatDuration(ms);

/** The share of attempts that failed or are retried. */
const failing = ({ recent }: TypeOverview): string => {
  if (recent === null) return "–";
  const { completed, continued, failed, retried } = recent;
  const all = completed + continued + failed + retried;
  return all === 0 ? "–" : `${(((failed + retried) / all) * 100).toFixed(1)} %`;
};

const columns: readonly Column<TypeOverview>[] = [
  { title: "TYPE", cell: ({ typeName }) => typeName, flexible: true },
  {
    title: "WORKERS",
    cell: ({ workers }) => (workers === null ? "?" : String(workers)),
    align: "right",
  },
  { title: "PENDING", cell: ({ pending }) => countOrDash(pending), align: "right" },
  { title: "BLOCKED", cell: ({ blocked }) => countOrDash(blocked), align: "right" },
  { title: "RUNNING", cell: ({ running }) => countOrDash(running), align: "right" },
  { title: "FAILED", cell: ({ failed }) => countOrDash(failed), align: "right" },
  { title: "DONE/MIN", cell: ({ recent }) => countOrDash(recent?.donePerMinute), align: "right" },
  { title: "FAILING", cell: failing, align: "right" },
  { title: "P95 RUN", cell: ({ recent }) => timeOrDash(recent?.runMs?.p95), align: "right" },
  { title: "P95 WAIT", cell: ({ recent }) => timeOrDash(recent?.waitMs?.p95), align: "right" },
  { title: "OLDEST DUE", cell: ({ oldestDueMs }) => timeOrDash(oldestDueMs), align: "right" },
];
