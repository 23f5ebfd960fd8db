// Looks for causes of trouble: a store that cannot be reached, a changed schema, jobs that nothing moves. A check that fails
// does not end the others.
import type { HealthFinding } from "queuert/operator";
import type { AddCommand, CommandContext, Report, StoreAccess } from "../command.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { parseDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";
import { confirmFixes, type Fix, fixLines, planFixes } from "./doctor-fix.ts";

interface Finding {
  readonly level: "ok" | HealthFinding["level"];
  readonly check: "store" | "schema" | HealthFinding["check"];
  readonly text: string;
}

export const addDoctor: AddCommand = (program, run) => {
  program
    .command("doctor")
    .description("look for trouble in the store, its schema and its jobs; exit 6 on a finding")
    .option("--long <duration>", "a transaction that is open for longer is a finding", "5m")
    .option("--fix", "plans repairs, asks, and repairs: migrations, leases of vanished workers")
    .option("--yes", "with --fix: does not ask")
    .action((options: DoctorOptions) =>
      options.fix === true
        ? run((context) => fix(context, options), { isUnbounded: true })
        : run(async (context) => toReport(context, await look(context, options))),
    );
};

interface DoctorOptions {
  readonly long: string;
  readonly fix?: boolean;
  readonly yes?: boolean;
}

const look = (context: CommandContext, { long }: DoctorOptions): Promise<Finding[]> =>
  findAll(context, parseDuration(long, "--long"));

const fix = async (context: CommandContext, options: DoctorOptions): Promise<Report> => {
  const before = await look(context, options);
  // A store that cannot be reached cannot be repaired.
  if (before.some(({ level, check }) => level === "fail" && check === "store")) {
    return toReport(context, before);
  }
  const fixes = await planFixes(await context.access());
  const planned = toReport(context, before, fixes, false);
  if (fixes.length === 0) {
    return { ...planned, notes: ["nothing that --fix can repair"] };
  }
  if (!(await confirmFixes(context, fixes, options.yes === true))) {
    return {
      ...planned,
      lines: [...planned.lines, ...fixLines(fixes)],
      notes: ["nothing was written; confirm with --fix --yes"],
      exitCode: exitCodes.needsConfirmation,
    };
  }
  await context.access({ writes: "doctor --fix" });
  for (const { apply } of fixes) await apply();
  const after = toReport(context, await look(context, options), fixes, true);
  return { ...after, lines: [...fixes.map(({ text }) => `done: ${text}`), ...after.lines] };
};

const toReport = (
  context: CommandContext,
  findings: readonly Finding[],
  fixes?: readonly Fix[],
  isDone = false,
): Report => {
  const isWell = findings.every(({ level }) => level === "ok" || level === "note");
  return {
    json: {
      isWell,
      findings,
      ...(fixes !== undefined && {
        fixes: fixes.map(({ fix: name, text }) => ({ fix: name, text, isDone })),
      }),
    },
    lines: findings.map((finding) => toLine(context.terminal, finding)),
    exitCode: isWell ? exitCodes.done : exitCodes.checksFailed,
  };
};

const colours = { ok: "green", note: "dim", warn: "yellow", fail: "red" } as const;

const toLine = ({ colour }: Terminal, { level, check, text }: Finding): string =>
  `${colour(colours[level], level.padEnd(5))} ${check.padEnd(7)} ${safeLine(text)}`;

const findAll = async (context: CommandContext, longMs: number): Promise<Finding[]> => {
  // A bad config is wrong usage, not a finding. So is a missing driver.
  const access = await reachable(context);
  if ("level" in access) return [access];
  const schema = await schemaFindings(access);
  const isUsable = schema.every(({ level }) => level !== "fail");
  return [
    { level: "ok", check: "store", text: `${access.store.kind} can be reached` },
    ...schema,
    ...(isUsable ? await healthFindings(access, longMs) : []),
  ];
};

/** An error of the connection is a finding. */
const reachable = async (context: CommandContext): Promise<StoreAccess | Finding> => {
  try {
    const access = await context.access();
    // Some drivers connect at the first statement.
    await access.store.schema?.plan();
    return access;
  } catch (error) {
    return orThrow(error, "store");
  }
};

const schemaFindings = async ({ store }: StoreAccess): Promise<Finding[]> => {
  if (store.schema === undefined) return [];
  try {
    const found = await store.schema.check();
    if (found.length > 0) return found.map((finding) => ({ ...finding, check: "schema" }));
    return [{ level: "ok", check: "schema", text: "is as the installed adapter expects" }];
  } catch (error) {
    return [orThrow(error, "schema")];
  }
};

/** The server and the jobs, by the checks of the store and of the operator layer. */
const healthFindings = async (
  { operator: open }: StoreAccess,
  longTransactionMs: number,
): Promise<Finding[]> => {
  const operator = await open();
  const { findings } = await operator.checkHealth({ longTransactionMs, isThorough: true });
  const server = findings.filter(({ check }) => check === "server");
  const others = findings.filter(({ check }) => check !== "server");
  const isServerWell = operator.features.health && server.every(({ level }) => level === "note");
  return [
    ...(isServerWell ? [{ level: "ok", check: "server", text: "nothing to report" } as const] : []),
    ...server,
    ...(others.length === 0
      ? [{ level: "ok", check: "jobs", text: "none needs attention" } as const]
      : others),
  ];
};

const findingCodes = new Set<number>([exitCodes.unreachable, exitCodes.schema, exitCodes.refused]);

const orThrow = (error: unknown, check: Finding["check"]): Finding => {
  if (!findingCodes.has(exitCodeOf(error)) || !(error instanceof Error)) throw error;
  return { level: "fail", check, text: error.message };
};
