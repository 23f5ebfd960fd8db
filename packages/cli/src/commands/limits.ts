// The limits with their use, and the keys that have bounds of their own or are paused.
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { limitTable } from "./limit-lines.ts";

export const addLimits: AddCommand = (program, run) => {
  program
    .command("limits")
    .description("the limits with their use, and the keys that have bounds of their own or a pause")
    .action(() => run(limits));
};

const limits = async (context: CommandContext): Promise<Report> => {
  const operator = await (await context.access()).operator();
  const { limits: found } = await operator.getOverview();
  return {
    json: found,
    rows: found,
    lines: limitTable(context.terminal, found),
    notes: found.length === 0 ? ["there is no limit"] : [],
  };
};
