// Pauses of job types, or of everything: no job of them begins, in any process.
import type { Pause } from "queuert";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { formatAge, formatTime, parseDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, tableLines } from "../output/table.ts";
import { userOf } from "./user-of.ts";

interface PauseOptions {
  readonly all?: boolean;
  readonly for?: string;
  readonly note?: string;
}

export const addPauses: AddCommand = (program, run) => {
  program
    .command("pause")
    .description("begin no job of these types any more; running jobs go on")
    .argument("[type...]", "job types")
    .option("--all", "in place of types: every type, as one pause of its own")
    .option("--for <duration>", "ends by itself after this time; default: at `resume`")
    .option("--note <text>", "the reason, for other operators")
    .action((types: readonly string[], options: PauseOptions) =>
      run((context) => pause(context, types, options)),
    );
  program
    .command("resume")
    .description("end pauses")
    .argument("[type...]", "job types")
    .option("--all", "in place of types: the pause of every type")
    .action((types: readonly string[], options: PauseOptions) =>
      run((context) => resume(context, types, options)),
    );
  program
    .command("pauses")
    .description("the pauses that have not ended")
    .action(() => run(list));
};

type Scope = { readonly jobTypes: readonly string[] } | { readonly everything: true };

const scopeOf = (types: readonly string[], { all }: PauseOptions): Scope => {
  if ((types.length === 0) === (all !== true)) {
    throw new CliUsageError("Give job types, or --all.");
  }
  return all === true ? { everything: true } : { jobTypes: types };
};

/** Null: every type. */
const namesOf = (scope: Scope): readonly (string | null)[] =>
  "everything" in scope ? [null] : [...new Set(scope.jobTypes)];

const nameOf = (scope: Scope): string =>
  "everything" in scope ? "every type" : safeLine(scope.jobTypes.join(", "));

const pause = async (
  context: CommandContext,
  types: readonly string[],
  options: PauseOptions,
): Promise<Report> => {
  const scope = scopeOf(types, options);
  const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
  const operator = await (await context.access({ writes: "pause" })).operator();
  const settings = { forMs, note: options.note, user: userOf(context) };
  for (const typeName of namesOf(scope)) {
    await operator.control({ action: "pause", typeName, ...settings });
  }
  return { json: { paused: scope }, lines: [`paused ${nameOf(scope)}`] };
};

const resume = async (
  context: CommandContext,
  types: readonly string[],
  options: PauseOptions,
): Promise<Report> => {
  const scope = scopeOf(types, options);
  const operator = await (await context.access({ writes: "resume" })).operator();
  const user = userOf(context);
  let resumed = 0;
  for (const typeName of namesOf(scope)) {
    const { isDone } = await operator.control({ action: "resume", typeName, user });
    if (isDone) resumed++;
  }
  return {
    json: { scope, resumed },
    lines: [resumed === 0 ? `${nameOf(scope)}: was not paused` : `resumed ${nameOf(scope)}`],
  };
};

const list = async (context: CommandContext): Promise<Report> => {
  const { terminal } = context;
  const client = await (await context.access()).client();
  const pauses = await client.getPauses();
  const now = new Date();
  const when = (at: Date): string =>
    terminal.isTty ? formatAge(at, now) : formatTime(at, terminal.isUtc);
  const columns: readonly Column<Pause>[] = [
    { title: "TYPE", cell: ({ jobType }) => jobType ?? "(every type)", flexible: true },
    { title: "STATE", cell: ({ state }) => state },
    { title: "RUNNING", cell: ({ runningCount }) => String(runningCount), align: "right" },
    { title: "SINCE", cell: ({ pausedAt }) => when(pausedAt) },
    { title: "UNTIL", cell: ({ until }) => (until === null ? "–" : when(until)) },
    { title: "NOTE", cell: ({ note }) => note ?? "–", flexible: true },
  ];
  return {
    json: pauses,
    lines: pauses.length === 0 ? [] : tableLines(terminal, columns, pauses),
    notes: pauses.length === 0 ? ["nothing is paused"] : [],
  };
};
