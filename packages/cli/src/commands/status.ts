import type { StateSummary } from "queuert";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount, formatDuration } from "../output/durations.ts";
import { type Column, tableLines } from "../output/table.ts";
import { type Check, type CheckResult, evaluate, parseChecks } from "./status-checks.ts";

export interface TypeRow {
  readonly typeName: string;
  readonly pending: number;
  readonly blocked: number;
  readonly running: number;
  readonly failed: number;
  /** For how long the oldest due job has been due; null if no job is due. */
  readonly oldestDueMs: number | null;
}

export interface Status {
  readonly store: string;
  readonly environment: string | null;
  readonly pending: number;
  readonly blocked: number;
  readonly running: number;
  readonly failed: number;
  readonly oldestDueMs: number | null;
  readonly blockedByFailed: number;
  readonly expiredLeases: number;
  readonly types: readonly TypeRow[];
}

export const addStatus: AddCommand = (program, run) => {
  program
    .command("status")
    .description("count unfinished and failed jobs by type")
    .option(
      "--check <conditions>",
      "such as 'oldest-due<5m failed<100'; exit 6 if one does not hold",
    )
    .action(({ check }: { readonly check?: string }) => {
      // Before the store is opened: a wrong condition is wrong usage, also if no store can be reached.
      const checks = check === undefined ? [] : () => parseChecks(check);
      return run((context) => report(context, typeof checks === "function" ? checks() : checks));
    });
};

const report = async (context: CommandContext, checks: readonly Check[]): Promise<Report> => {
  const { store, config, state } = await context.access();
  const summary = await (await state()).summarize({ runningLongMs });
  const status: Status = {
    store: store.kind,
    environment: config.environment ?? null,
    ...toStatus(summary),
  };
  const results = checks.map((check) => evaluate(check, status));
  const isWell = results.every(({ holds }) => holds);
  return {
    json: checks.length === 0 ? status : { ...status, checks: results },
    lines: [
      ...statusLines(context, status),
      ...results.map((result) => checkLine(context, result)),
    ],
    exitCode: isWell ? exitCodes.done : exitCodes.checksFailed,
  };
};

const runningLongMs = 3_600_000;

/** The sums and rows of a summary, busiest types first. */
export const toStatus = (summary: StateSummary): Omit<Status, "store" | "environment"> => {
  const rows = new Map<string, { -readonly [TKey in keyof TypeRow]: TypeRow[TKey] }>();
  const rowOf = (typeName: string) => {
    const found = rows.get(typeName) ?? { typeName, ...noJobs };
    rows.set(typeName, found);
    return found;
  };
  for (const { typeName, status, count } of summary.counts) rowOf(typeName)[status] = count;
  for (const { typeName, ageMs } of summary.oldestReady) rowOf(typeName).oldestDueMs = ageMs;
  const types = [...rows.values()].sort(
    (a, b) => weightOf(b) - weightOf(a) || (a.typeName < b.typeName ? -1 : 1),
  );
  const sum = (status: "pending" | "blocked" | "running" | "failed"): number =>
    types.reduce((total, row) => total + row[status], 0);
  const ages = types.flatMap(({ oldestDueMs }) => (oldestDueMs === null ? [] : [oldestDueMs]));
  return {
    pending: sum("pending"),
    blocked: sum("blocked"),
    running: sum("running"),
    failed: sum("failed"),
    oldestDueMs: ages.length === 0 ? null : Math.max(...ages),
    blockedByFailed: summary.blockedByFailedCount,
    expiredLeases: summary.expiredLeaseCount,
    types,
  };
};

const noJobs = { pending: 0, blocked: 0, running: 0, failed: 0, oldestDueMs: null };

const weightOf = ({ pending, running, failed }: TypeRow): number => pending + running + failed;

const countOrDash = (count: number): string => (count === 0 ? "–" : formatCount(count));
const ageOrDash = (ageMs: number | null): string => (ageMs === null ? "–" : formatDuration(ageMs));

export const typeColumns: readonly Column<TypeRow>[] = [
  { title: "TYPE", cell: ({ typeName }) => typeName, flexible: true },
  { title: "PENDING", cell: ({ pending }) => countOrDash(pending), align: "right" },
  { title: "BLOCKED", cell: ({ blocked }) => countOrDash(blocked), align: "right" },
  { title: "RUNNING", cell: ({ running }) => countOrDash(running), align: "right" },
  { title: "FAILED", cell: ({ failed }) => countOrDash(failed), align: "right" },
  { title: "OLDEST DUE", cell: ({ oldestDueMs }) => ageOrDash(oldestDueMs), align: "right" },
];

export const statusLines = ({ terminal }: CommandContext, status: Status): string[] => {
  const title = [status.environment, status.store].filter((part) => part !== null).join(" · ");
  const sums = [
    `pending ${formatCount(status.pending)}`,
    `blocked ${formatCount(status.blocked)}`,
    `running ${formatCount(status.running)}`,
    `failed ${formatCount(status.failed)}`,
    `oldest due ${ageOrDash(status.oldestDueMs)}`,
  ];
  const warnings = [
    ...warning(status.blockedByFailed, "blocked jobs wait for a sequence that failed"),
    ...warning(status.expiredLeases, "running jobs have an expired lease"),
  ].map((text) => `${terminal.colour("yellow", "!")} ${text}`);
  return [
    terminal.colour("bold", title),
    sums.join("   "),
    ...warnings,
    ...(status.types.length === 0 ? [] : ["", ...tableLines(terminal, typeColumns, status.types)]),
  ];
};

const warning = (count: number, text: string): string[] =>
  count === 0 ? [] : [`${formatCount(count)} ${text}`];

const checkLine = ({ terminal }: CommandContext, { condition, actual, holds }: CheckResult) =>
  `${holds ? terminal.colour("green", "ok  ") : terminal.colour("red", "fail")} ${condition} (${actual})`;
