// The schedules of the store: the code of the application declares them, and operators pause, resume and trigger them.
import type { Schedule, ScheduleTick } from "queuert";
import type { Command } from "commander";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliNotFoundError } from "../errors.ts";
import { formatAge, formatDuration, formatTime } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, tableLines } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";
import { addBackfill } from "./backfill.ts";
import { addEdit } from "./edit-schedule.ts";
import { userOf } from "./user-of.ts";

type Run = Parameters<AddCommand>[1];

export const addSchedules: AddCommand = (program, run) => {
  const schedules = program
    .command("schedules")
    .description("list the schedules, by name")
    .action(() => run(list));
  schedules
    .command("show")
    .description("one schedule, with its newest ticks")
    .argument("<name>")
    .action((name: string) => run((context) => show(context, name)));
  addPause(schedules, run);
  addEdit(schedules, run);
  addBackfill(schedules, run);
  schedules
    .command("resume")
    .description("end a pause; the next tick is counted from now")
    .argument("<name...>")
    .action((names: readonly string[]) => run((context) => resume(context, names)));
  schedules
    .command("trigger")
    .description("tick now, paused or not")
    .argument("<name...>")
    .action((names: readonly string[]) => run((context) => trigger(context, names)));
};

const addPause = (schedules: Command, run: Run): void => {
  schedules
    .command("pause")
    .description("stop the ticks until `schedules resume`")
    .argument("<name...>")
    .option("--note <text>", "shown with the schedule")
    .action((names: readonly string[], { note }: { readonly note?: string }) =>
      run((context) => pause(context, names, note)),
    );
};

const pageSize = 1_000;

const list = async (context: CommandContext): Promise<Report> => {
  const { terminal } = context;
  const client = await (await context.access()).client();
  const items: Schedule[] = [];
  let cursor: string | null = null;
  do {
    const page: { readonly items: readonly Schedule[]; readonly nextCursor: string | null } =
      await client.listSchedules({ limit: pageSize, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  const now = new Date();
  const when = (at: Date | null): string => {
    if (at === null) return "–";
    return terminal.isTty ? formatAge(at, now) : formatTime(at, terminal.isUtc);
  };
  const columns: readonly Column<Schedule>[] = [
    { title: "NAME", cell: ({ name }) => name, flexible: true },
    { title: "TYPE", cell: ({ typeName }) => typeName, flexible: true },
    { title: "TIMING", cell: timingOf },
    { title: "NEXT", cell: (each) => (each.pausedAt === null ? when(each.nextAt) : "paused") },
    { title: "LAST", cell: ({ lastTickAt }) => when(lastTickAt) },
    { title: "ERROR", cell: ({ lastError }) => lastError ?? "–", flexible: true },
  ];
  return {
    json: items,
    lines: items.length === 0 ? [] : tableLines(terminal, columns, items),
    notes: items.length === 0 ? ["there is no schedule"] : [],
  };
};

const timingOf = ({ cron, timeZone, everyMs }: Schedule): string =>
  cron === null ? `every ${formatDuration(everyMs ?? 0)}` : `${cron} ${timeZone}`;

const ticksShown = 20;

const show = async (context: CommandContext, name: string): Promise<Report> => {
  const { terminal } = context;
  const client = await (await context.access()).client();
  const [schedule] = (await client.listSchedules({ names: [name] })).items;
  if (schedule === undefined) throw new CliNotFoundError(`No schedule is named "${name}".`);
  const ticks = (await client.listScheduleTicks({ name, limit: ticksShown })).items;
  return {
    json: { schedule, ticks },
    lines: [...scheduleLines(terminal, schedule), "", ...tickLines(terminal, ticks)],
  };
};

const scheduleLines = (terminal: Terminal, schedule: Schedule): string[] => {
  const now = new Date();
  const time = (at: Date): string => `${formatTime(at, terminal.isUtc)} (${formatAge(at, now)})`;
  const { pausedAt, pauseNote, nextAt, lastError } = schedule;
  const note = pauseNote === null ? "" : `: ${pauseNote}`;
  const fields: readonly (readonly [name: string, value: string | null])[] = [
    ["name", schedule.name],
    ["type", schedule.typeName],
    ["timing", timingOf(schedule)],
    ["overlap", schedule.overlap],
    ["origin", schedule.isDeclared ? `code, revision ${schedule.revision ?? 0}` : "run time"],
    ["paused", pausedAt === null ? null : `${time(pausedAt)}${note}`],
    ["next", nextAt === null || pausedAt !== null ? null : time(nextAt)],
    ["error", lastError],
  ];
  return fields.flatMap(([name, value]) =>
    value === null ? [] : [`${terminal.colour("dim", name.padEnd(8))} ${safeLine(value)}`],
  );
};

const tickLines = (terminal: Terminal, ticks: readonly ScheduleTick[]): string[] => {
  const columns: readonly Column<ScheduleTick>[] = [
    { title: "TICK", cell: ({ at }) => formatTime(at, terminal.isUtc) },
    { title: "KIND", cell: ({ kind }) => kind },
    { title: "OUTCOME", cell: ({ outcome }) => outcome },
    { title: "SEQUENCE", cell: ({ sequenceId }) => sequenceId ?? "–" },
  ];
  return ticks.length === 0 ? ["no tick yet"] : tableLines(terminal, columns, ticks);
};

const pause = async (
  context: CommandContext,
  names: readonly string[],
  note: string | undefined,
): Promise<Report> => {
  const operator = await (await context.access({ writes: "schedules pause" })).operator();
  const user = userOf(context);
  for (const name of new Set(names)) {
    await operator.control({ action: "pause_schedule", name, note, user });
  }
  return changed(context, "paused", names);
};

const resume = async (context: CommandContext, names: readonly string[]): Promise<Report> => {
  const operator = await (await context.access({ writes: "schedules resume" })).operator();
  const user = userOf(context);
  for (const name of new Set(names)) {
    await operator.control({ action: "resume_schedule", name, user });
  }
  return changed(context, "resumed", names);
};

/** The schedules as they are now. */
const changed = async (
  context: CommandContext,
  verb: string,
  names: readonly string[],
): Promise<Report> => {
  const client = await (await context.access()).client();
  const { items } = await client.listSchedules({ names });
  return { json: items, lines: items.map(({ name }) => `${verb} ${safeLine(name)}`) };
};

const trigger = async (context: CommandContext, names: readonly string[]): Promise<Report> => {
  const access = await context.access({ writes: "schedules trigger" });
  const operator = await access.operator();
  const user = userOf(context);
  const ticks: ScheduleTick[] = [];
  for (const name of new Set(names)) {
    const { tick } = await operator.control({ action: "trigger_schedule", name, user });
    if (tick !== undefined) ticks.push(tick);
  }
  // Workers are notified before the process ends.
  await (await access.client()).close();
  return {
    json: ticks,
    lines: ticks.map(
      ({ schedule, outcome, sequenceId }) =>
        `${safeLine(schedule)}: ${outcome}${sequenceId === null ? "" : ` ${safeLine(sequenceId)}`}`,
    ),
  };
};
