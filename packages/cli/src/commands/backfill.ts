// Starts the past ticks of a schedule that have not started: planned first, then applied.
import type { Command } from "commander";
import type { ScheduleOverlap } from "queuert";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { type ActOptions, carryOut, withPlanOptions } from "./act.ts";

interface BackfillOptions extends Omit<ActOptions, "where"> {
  readonly from: string;
  readonly to?: string;
  readonly overlap?: string;
}

export const addBackfill = (schedules: Command, run: Parameters<AddCommand>[1]): void => {
  const command = schedules
    .command("backfill")
    .description("start the past ticks of a schedule that have not started")
    .argument("<name>")
    .requiredOption("--from <instant>", "the first instant, such as 2026-11-01T00:00:00Z")
    .option("--to <instant>", "ticks before it; default: now")
    .option("--overlap <rule>", "skip, allow, bufferOne or cancelRunning; default: allow");
  withPlanOptions(command).action((name: string, options: BackfillOptions) =>
    run((context) => backfill(context, name, options), { isUnbounded: true }),
  );
};

const backfill = async (
  context: CommandContext,
  name: string,
  { from, to, overlap, ...options }: BackfillOptions,
): Promise<Report> => {
  const begin = toInstant("--from", from);
  const end = to === undefined ? null : toInstant("--to", to);
  return carryOut(context, "schedules backfill", options, async (operator, user) =>
    operator.planBackfill({
      ...{ name, user, from: begin, to: end ?? (await operator.readClock()) },
      // A wrong one is refused with the names.
      overlap: overlap as ScheduleOverlap | undefined,
    }),
  );
};

const toInstant = (name: string, text: string): Date => {
  const at = new Date(text);
  if (!Number.isNaN(at.getTime())) return at;
  throw new CliUsageError(`${name} is "${text}": give an instant, such as 2026-11-01T00:00:00Z.`);
};
