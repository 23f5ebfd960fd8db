import type { WorkerView } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { formatAge, formatTime } from "../output/durations.ts";
import { type Column, tableLines } from "../output/table.ts";

export const addWorkers: AddCommand = (program, run) => {
  program
    .command("workers")
    .description("the workers that reported within the last day")
    .action(() => run(workers));
};

const workers = async (context: CommandContext): Promise<Report> => {
  const { terminal } = context;
  const operator = await (await context.access()).operator();
  const found = await operator.listWorkers();
  const now = new Date();
  const when = (at: Date): string =>
    terminal.isTty ? formatAge(at, now) : formatTime(at, terminal.isUtc);
  const columns: readonly Column<WorkerView>[] = [
    { title: "WORKER", cell: ({ workerId }) => workerId, flexible: true },
    { title: "STATE", cell: stateOf },
    { title: "HOST", cell: ({ host, pid }) => `${host}:${pid}`, flexible: true },
    { title: "SINCE", cell: ({ startedAt }) => when(startedAt) },
    { title: "REPORTED", cell: ({ beatAt }) => when(beatAt) },
    { title: "BUSY", cell: ({ busy, concurrency }) => `${busy}/${concurrency}`, align: "right" },
    { title: "VERSION", cell: ({ libraryVersion }) => libraryVersion ?? "–" },
    {
      title: "TYPES",
      cell: ({ types }) => types.map(({ typeName }) => typeName).join(" "),
      flexible: true,
    },
  ];
  const taken = new Set(
    found.filter(({ isNameTaken }) => isNameTaken).map((each) => each.workerId),
  );
  return {
    json: found,
    rows: found,
    lines: found.length === 0 ? [] : tableLines(terminal, columns, found),
    notes:
      found.length === 0
        ? ["no worker has reported"]
        : [...taken].map(
            (name) => `several live workers call themselves ${name}: names must differ`,
          ),
  };
};

const stateOf = ({ presence, state }: WorkerView): string =>
  presence === "gone" || state === "running" ? presence : `${presence}, ${state}`;
