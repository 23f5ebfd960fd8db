// Gives a schedule another timing. Its type and its input are code, and stay as they are.
import type { Command } from "commander";
import type { ScheduleOverlap } from "queuert";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliNotFoundError, CliUsageError } from "../errors.ts";
import { parseDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import { userOf } from "./user-of.ts";

interface EditOptions {
  readonly cron?: string;
  readonly timeZone?: string;
  readonly every?: string;
  readonly overlap?: string;
}

export const addEdit = (schedules: Command, run: Parameters<AddCommand>[1]): void => {
  schedules
    .command("edit")
    .description("another timing, until the declaration in code itself changes")
    .argument("<name>")
    .option("--cron <pattern>", "such as '0 7 * * 1-5'")
    .option("--time-zone <name>", "that of the pattern, such as Europe/Vienna")
    .option("--every <duration>", "in place of a pattern, such as 15m")
    .option("--overlap <rule>", "skip, allow, bufferOne or cancelRunning")
    .action((name: string, options: EditOptions) => run((context) => edit(context, name, options)));
};

const edit = async (
  context: CommandContext,
  name: string,
  { cron, timeZone, every, overlap }: EditOptions,
): Promise<Report> => {
  if (
    cron === undefined &&
    timeZone === undefined &&
    every === undefined &&
    overlap === undefined
  ) {
    throw new CliUsageError("Give --cron, --time-zone, --every or --overlap.");
  }
  if (cron !== undefined && every !== undefined) {
    throw new CliUsageError("Give --cron or --every, not both.");
  }
  if (timeZone !== undefined && every !== undefined) {
    throw new CliUsageError("--time-zone is that of a pattern: give --cron in place of --every.");
  }
  const access = await context.access({ writes: "schedules edit" });
  const operator = await access.operator();
  const { isDone } = await operator.control({
    ...{ action: "edit_schedule", name, cron, timeZone, user: userOf(context) },
    everyMs: every === undefined ? undefined : parseDuration(every, "--every"),
    // A wrong one is refused with the names.
    overlap: overlap as ScheduleOverlap | undefined,
  });
  if (!isDone) throw new CliNotFoundError(`No schedule is named "${name}".`);
  const client = await access.client();
  const [schedule] = (await client.listSchedules({ names: [name] })).items;
  return { json: schedule, lines: [`edited ${safeLine(name)}`] };
};
