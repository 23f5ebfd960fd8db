import type { Attention, Overview, TypeOverview } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount, formatDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, tableLines } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";
import { limitLines } from "./limit-lines.ts";
import { watch } from "./watch.ts";
import { type Check, type CheckResult, evaluate, parseChecks } from "./status-checks.ts";

/** The document of `status --json`. */
export interface Status extends Overview {
  readonly store: string;
  readonly environment: string | null;
}

interface StatusOptions {
  readonly check?: string;
  readonly watch?: boolean;
}

export const addStatus: AddCommand = (program, run) => {
  program
    .command("status")
    .description("the jobs that need attention, then unfinished and failed jobs by type")
    .option(
      "--check <conditions>",
      "such as 'oldest-due<5m failed<100'; exit 6 if one does not hold",
    )
    .option("--watch", "looks again each second")
    .action(({ check, watch: isWatched }: StatusOptions) => {
      const look = async (context: CommandContext): Promise<Report> =>
        report(context, check === undefined ? [] : parseChecks(check));
      return isWatched === true
        ? run((context) => watch(context, () => look(context)), { isUnbounded: true })
        : run(look);
    });
};

const report = async (context: CommandContext, checks: readonly Check[]): Promise<Report> => {
  const status = await loadStatus(context);
  const results = checks.map((check) => evaluate(check, status));
  const isWell = results.every(({ holds }) => holds);
  const { terminal } = context;
  return {
    json: checks.length === 0 ? status : { ...status, checks: results },
    lines: [
      ...statusLines(terminal, status),
      ...results.map((result) => checkLine(terminal, result)),
    ],
    exitCode: isWell ? exitCodes.done : exitCodes.checksFailed,
  };
};

export const loadStatus = async (context: CommandContext): Promise<Status> => {
  const { store, config, operator } = await context.access();
  const overview = await (await operator()).getOverview();
  return { store: store.kind, environment: config.environment ?? null, ...overview };
};

const countOrDash = (count: number): string => (count === 0 ? "–" : formatCount(count));
const ageOrDash = (ageMs: number | null): string => (ageMs === null ? "–" : formatDuration(ageMs));

export const typeColumns: readonly Column<TypeOverview>[] = [
  { title: "TYPE", cell: ({ typeName }) => typeName, flexible: true },
  { title: "DUE", cell: ({ due }) => countOrDash(due), align: "right" },
  { title: "LATER", cell: ({ pending, due }) => countOrDash(pending - due), align: "right" },
  { title: "BLOCKED", cell: ({ blocked }) => countOrDash(blocked), align: "right" },
  { title: "RUNNING", cell: ({ running }) => countOrDash(running), align: "right" },
  { title: "FAILED", cell: ({ failed }) => countOrDash(failed), align: "right" },
  { title: "OLDEST DUE", cell: ({ oldestDueMs }) => ageOrDash(oldestDueMs), align: "right" },
];

/** Types that nothing happens to are at the end. */
export const busiestFirst = (types: readonly TypeOverview[]): TypeOverview[] =>
  [...types].sort((a, b) => weightOf(b) - weightOf(a) || (a.typeName < b.typeName ? -1 : 1));

const weightOf = ({ pending, blocked, running, failed }: TypeOverview): number =>
  pending + blocked + running + failed;

export const statusLines = (terminal: Terminal, status: Status): string[] => [
  ...headLines(terminal, status),
  ...(status.types.length === 0
    ? []
    : ["", ...tableLines(terminal, typeColumns, busiestFirst(status.types))]),
  ...limitLines(terminal, status.limits),
];

/** All but the tables. */
export const headLines = (terminal: Terminal, status: Status): string[] => {
  const { totals, attention, types, workers } = status;
  const title = [status.environment, status.store].filter((part) => part !== null).join(" · ");
  const sums = [
    `due ${formatCount(totals.due)}`,
    `later ${formatCount(totals.pending - totals.due)}`,
    `blocked ${formatCount(totals.blocked)}`,
    `running ${formatCount(totals.running)}`,
    `failed ${formatCount(totals.failed)}`,
    ...doneLine(types),
    `oldest due ${ageOrDash(totals.oldestDueMs)}`,
  ];
  return [
    terminal.colour("bold", safeLine(title)),
    sums.join("   "),
    ...attention.map((each) => attentionLine(terminal, each)),
    ...(workers === null ? [] : [workersLine(workers)]),
  ];
};

/** Of the last 10 minutes. Nothing if the store keeps no metrics. */
const doneLine = (types: readonly TypeOverview[]): readonly string[] => {
  const rates = types.flatMap(({ recent }) => (recent === null ? [] : [recent.donePerMinute]));
  const rate = rates.reduce((sum, each) => sum + each, 0);
  return rates.length === 0 ? [] : [`done/min ${formatCount(Math.round(rate * 10) / 10)}`];
};

const attentionLine = (terminal: Terminal, { severity, text, filter }: Attention): string => {
  const mark = severity === "error" ? terminal.colour("red", "✕") : terminal.colour("yellow", "!");
  return `${mark} ${safeLine(text)}   queuert list ${safeLine(shellWords(filter))}`;
};

const shellWords = (filter: string): string =>
  /^[\w:-]+$/.test(filter) ? filter : `'${filter.replaceAll("'", String.raw`'\''`)}'`;

const workersLine = ({
  online,
  late,
  gone,
  libraryVersions,
}: NonNullable<Status["workers"]>): string =>
  [
    `workers: ${online} online`,
    ...(late > 0 ? [`${late} late`] : []),
    ...(gone > 0 ? [`${gone} gone`] : []),
    ...(libraryVersions.length > 1 ? [`versions ${versionsText(libraryVersions)}`] : []),
  ].join(", ");

const versionsText = (versions: NonNullable<Status["workers"]>["libraryVersions"]): string =>
  versions
    .map(({ version, workers }) => `${safeLine(version ?? "unknown")} ×${workers}`)
    .join(" and ");

const checkLine = (terminal: Terminal, { condition, actual, holds }: CheckResult): string =>
  `${holds ? terminal.colour("green", "ok  ") : terminal.colour("red", "fail")} ${condition} (${actual})`;
