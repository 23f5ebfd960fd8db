// The program: its global options and its commands, in the order of the help.
import { Command, CommanderError, Option } from "commander";
import type { AddCommand, GlobalOptions } from "./command.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDashboard } from "./commands/dashboard.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addAct } from "./commands/act.ts";
import { addCheck } from "./commands/check.ts";
import { addComplete } from "./commands/complete.ts";
import { addExplain } from "./commands/explain.ts";
import { addExplainError } from "./commands/explain-error.ts";
import { addExport } from "./commands/export.ts";
import { addFailures } from "./commands/failures.ts";
import { addImport } from "./commands/import.ts";
import { addInit } from "./commands/init.ts";
import { addLimits } from "./commands/limits.ts";
import { addList } from "./commands/list.ts";
import { addMcp } from "./commands/mcp.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addPauses } from "./commands/pauses.ts";
import { addSchedules } from "./commands/schedules.ts";
import { addShow } from "./commands/show.ts";
import { addSkill } from "./commands/skill.ts";
import { addStart } from "./commands/start.ts";
import { addStatus } from "./commands/status.ts";
import { addTail } from "./commands/tail.ts";
import { addTop } from "./commands/top.ts";
import { addTypes } from "./commands/types.ts";
import { addWorkers } from "./commands/workers.ts";
import { readEnvFile } from "./config/read-env-file.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-codes.ts";
import { printError } from "./output/print-error.ts";
import { type ProcessPlace, runCommand } from "./run-command.ts";
import type { Streams } from "./terminal.ts";

const commands: readonly AddCommand[] = [
  addInit,
  addMigrate,
  addDoctor,
  addCheck,
  addStatus,
  addTop,
  addTail,
  addTypes,
  addDashboard,
  addMcp,
  addSkill,
  addList,
  addShow,
  addExplain,
  addExplainError,
  addFailures,
  addWorkers,
  addLimits,
  addSchedules,
  addAct("retry"),
  addAct("trigger"),
  addAct("cancel"),
  addAct("delete"),
  addPauses,
  addStart,
  addComplete,
  addExport,
  addImport,
  addCompletion,
];

const exits = `
Exit codes: 0 done, 1 unexpected error, 2 wrong usage or config, 3 not found, 4 refused,
5 needs confirmation (nothing written), 6 checks failed, 7 store unreachable, 8 schema, 130 interrupted.`;

/** Runs the command of `args` and returns the exit code of the process. */
export const runCli = async (
  args: readonly string[],
  place: ProcessPlace,
  version: string,
): Promise<ExitCode> => {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(place.streams, version, async (action, options = {}) => {
    const globals = program.opts<GlobalOptions>();
    if (globals.envFile !== undefined) readEnvFile(globals.envFile, place.cwd, place.env);
    exitCode = await runCommand(place, globals, action, options);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has printed its own errors already, with a suggestion.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const { stderr } = place.streams;
    const writeError = async (text: string): Promise<void> => void stderr.write(text);
    await printError({ writeError }, program.opts<GlobalOptions>(), error);
    return exitCodeOf(error);
  }
};

/** `run`: is called with the action of the command that was parsed. */
export const createProgram = (
  streams: Pick<Streams, "stdout" | "stderr">,
  version: string,
  run: Parameters<AddCommand>[1],
): Command => {
  const program = new Command("queuert")
    .description("Set up, inspect and operate Queuert's jobs.")
    .version(version, "--version")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
    })
    .addHelpText("after", exits);
  const store: readonly Option[] = [
    new Option(
      "--config <file>",
      "the config; default: the nearest queuert.config.{ts,mts,js,mjs}",
    ),
    new Option("--url <address>", "the store: postgres://…, mongodb://… or sqlite:app.db"),
    new Option("--schema <name>", "PostgreSQL: the schema of the tables"),
    new Option("--prefix <text>", "SQLite and MongoDB: the beginning of the names"),
    new Option("--profile <name>", "a profile of the config"),
    new Option(
      "--env-file <file>",
      "a file of variables for the config; .env is not read by itself",
    ),
  ];
  const output: readonly Option[] = [
    new Option("--json", "one JSON document instead of text"),
    new Option("--jsonl", "JSON, one document a line: an item of a list, or a look of a watch"),
    new Option("--timeout <duration>", "how long to wait for the store").default("30s"),
    new Option("--utc", "times in UTC; default: the zone of this machine"),
    new Option("--no-color", "no colours; the same as NO_COLOR=1"),
    new Option("-q, --quiet", "print errors only"),
  ];
  for (const option of [...store, ...output]) program.addOption(option);
  for (const add of commands) add(program, run);
  return program;
};
