import type { FailureGroup } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { formatAge, formatCount, formatTime } from "../output/durations.ts";
import { type Column, tableLines } from "../output/table.ts";
import { filterHelp, joinTerms } from "./filter-words.ts";

export const addFailures: AddCommand = (program, run) => {
  program
    .command("failures")
    .description("failed jobs, grouped by cause")
    .argument("[filter...]", "terms such as type:send-mail finished-since:1d")
    .addHelpText("after", filterHelp)
    .action((terms: readonly string[]) => run((context) => failures(context, terms)));
};

const failures = async (context: CommandContext, terms: readonly string[]): Promise<Report> => {
  const { terminal } = context;
  const operator = await (await context.access()).operator();
  const report = await operator.listFailures({ filter: joinTerms(terms) });
  const { at, groups, count, isAtLeast } = report;
  const when = (time: Date): string =>
    terminal.isTty ? formatAge(time, at) : formatTime(time, terminal.isUtc);
  const columns: readonly Column<FailureGroup>[] = [
    { title: "JOBS", cell: (group) => formatCount(group.count), align: "right" },
    { title: "TYPE", cell: ({ typeName }) => typeName, flexible: true },
    { title: "CAUSE", cell: ({ cause }) => cause, flexible: true },
    { title: "FIRST", cell: ({ firstAt }) => when(firstAt) },
    { title: "LAST", cell: ({ lastAt }) => when(lastAt) },
    { title: "SAMPLE", cell: ({ sampleId }) => sampleId },
  ];
  const more = isAtLeast
    ? [`only the newest ${formatCount(count)} failed jobs were looked at`]
    : [];
  const [largest] = groups;
  return {
    json: report,
    lines: groups.length === 0 ? [] : tableLines(terminal, columns, groups),
    notes:
      largest === undefined
        ? ["no failed job matches"]
        : [
            ...more,
            `retry the first group: queuert retry --where '${shellText(largest.filter)}' --plan`,
          ],
  };
};

const shellText = (text: string): string => text.replaceAll("'", String.raw`'\''`);
