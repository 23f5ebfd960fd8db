import type { DependantsPage, JobDetail, JobView } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { formatAge, formatDuration, formatTime } from "../output/durations.ts";
import { safeLine, safeLines } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";
import { logLines } from "./log-lines.ts";
import { findJob } from "./find-job.ts";
import { loadTree, treeLines } from "./job-tree.ts";

interface ShowOptions {
  readonly payload?: boolean;
  readonly raw?: boolean;
  readonly tree?: boolean;
  readonly attempts?: boolean;
  readonly logs?: boolean;
  readonly dependants?: boolean;
  readonly cursor?: string;
}

export const addShow: AddCommand = (program, run) => {
  program
    .command("show")
    .description("show one job")
    .argument("<id>", "the id of a job, or its beginning")
    .option("--payload", "with its input and output, without secret values")
    .option("--raw", "with its input and output as they are stored")
    .option("--attempts", "with the attempts that did not complete it")
    .option("--logs", "with the lines that its last attempts logged")
    .option("--tree", "with the tree of its root: sequences, and the blockers that they wait for")
    .option("--dependants", "with the jobs that wait for its sequence, 50 at a time")
    .option("--cursor <cursor>", "the next dependants, from the end of the last ones")
    .action((id: string, options: ShowOptions) => run((context) => show(context, id, options)));
};

const show = async (context: CommandContext, id: string, options: ShowOptions): Promise<Report> => {
  const { terminal } = context;
  const access = await context.access();
  const view = options.raw === true ? "raw" : "redacted";
  const operator = await access.operator({ payloads: view });
  const job = await findJob(operator, id, view);
  const tree =
    options.tree === true
      ? await loadTree(operator, await access.client(), job.rootSequenceId)
      : undefined;
  const log = options.logs === true ? await operator.getLogs({ id: job.id }) : undefined;
  const waiting =
    options.dependants === true
      ? await operator.listDependants({ sequenceId: job.sequenceId, cursor: options.cursor })
      : undefined;
  const hasPayload = options.payload === true || options.raw === true;
  const { input, output, ...rest } = job;
  return {
    json: {
      job: hasPayload ? job : rest,
      ...(log !== undefined && { logs: log.lines }),
      ...(tree !== undefined && { tree }),
      ...(waiting !== undefined && {
        dependants: { items: waiting.items, nextCursor: waiting.nextCursor },
      }),
    },
    lines: [
      ...jobLines(terminal, job, new Date()),
      ...(hasPayload ? payloadLines(terminal, { input, output }) : []),
      ...(options.attempts === true ? attemptLines(terminal, job) : errorLines(terminal, job)),
      ...(log === undefined ? [] : logLines(terminal, operator.features, log.lines)),
      ...(tree === undefined ? [] : ["", ...treeLines(terminal, tree, job.id)]),
      ...(waiting === undefined ? [] : dependantLines(terminal, waiting)),
    ],
  };
};

const dependantLines = (
  terminal: Terminal,
  { items, nextCursor }: DependantsPage,
): readonly string[] => [
  terminal.colour("dim", items.length === 0 ? "no job waits for its sequence" : "dependants"),
  ...items.map(({ id, typeName, status }) => `  ${id}  ${safeLine(typeName)}  ${status}`),
  ...(nextCursor === null ? [] : [`  there are more; go on with --cursor ${nextCursor}`]),
];

const nameWidth = 10;

const jobLines = (terminal: Terminal, job: JobDetail, now: Date): string[] => {
  const time = (at: Date): string => `${formatTime(at, terminal.isUtc)} (${formatAge(at, now)})`;
  const fields: readonly (readonly [name: string, value: string | null])[] = [
    ["id", job.id],
    ["type", job.typeName],
    ["status", job.status],
    ["why", job.why.text],
    ["sequence", `${job.sequenceId} (${job.sequenceTypeName}), position ${job.position}`],
    ["root", job.rootSequenceId === job.sequenceId ? null : job.rootSequenceId],
    ["origin", job.originId],
    ["created", time(job.createdAt)],
    ["due", job.status === "pending" ? time(job.scheduledAt) : null],
    ["attempt", String(job.attempt)],
    ["last run", job.lastAttemptAt === null ? null : time(job.lastAttemptAt)],
    ["finished", job.finishedAt === null ? null : time(job.finishedAt)],
    ["progress", job.progress === null ? null : progressText(job.progress)],
    ["worker", job.leasedBy ?? job.completedBy],
    ["lease to", job.leasedUntil === null ? null : time(job.leasedUntil)],
    ["next job", job.continuedToId],
    ["key", job.deduplicationKey],
    ["priority", job.priority === 0 ? null : String(job.priority)],
  ];
  return fields.flatMap(([name, value]) =>
    value === null ? [] : [`${terminal.colour("dim", name.padEnd(nameWidth))} ${safeLine(value)}`],
  );
};

const progressText = ({ fraction, note }: NonNullable<JobDetail["progress"]>): string =>
  [fraction === null ? "" : `${Math.floor(fraction * 100)} %`, note ?? ""].join(" ").trim();

const payloadLines = (
  terminal: Terminal,
  { input, output }: Pick<JobView, "input" | "output">,
): string[] => [
  ...payload(terminal, "input", input.text),
  ...(output === null ? [] : payload(terminal, "output", output.text)),
];

const payload = (terminal: Terminal, name: string, text: string): string[] => [
  terminal.colour("dim", name),
  ...safeLines(indented(text))
    .split("\n")
    .map((line) => `  ${line}`),
];

/** JSON over several lines. A payload that was cut stays as it is. */
const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Cut, or not JSON: shown as it is stored.
    return text;
  }
};

/** Oldest first. An error that is that of the attempt before is not repeated. */
const attemptLines = (terminal: Terminal, { attempts }: JobDetail): string[] => {
  if (attempts === null) return ["attempts are not kept in this store"];
  return attempts.flatMap(({ attempt, startedAt, endedAt, workerId, outcome, error }, index) => {
    const ran = formatDuration(endedAt.getTime() - startedAt.getTime());
    const at = formatTime(startedAt, terminal.isUtc);
    const head = `#${attempt}  ${at}  ran ${ran} on ${safeLine(workerId)}  ${outcome}`;
    const isSame = index > 0 && attempts[index - 1]?.error === error;
    const lines = isSame ? ["as above"] : safeLines(error).split("\n");
    return [head, ...lines.map((line) => `  ${line}`)];
  });
};

const errorLines = (terminal: Terminal, { error }: JobView): string[] =>
  error === null
    ? []
    : [
        terminal.colour("dim", "last error"),
        ...safeLines(error.text)
          .split("\n")
          .map((line) => `  ${line}`),
      ];
