// Jobs as they end, and with `--logs` the lines of those that run. No index has the time of an end. So each look searches the newest
// jobs for those that ended since the last look.
import type { JobLogLine, JobView, Operator } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { formatDuration, formatTime, parseDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";
import { filterHelp, joinTerms } from "./filter-words.ts";
import { logLine } from "./log-lines.ts";
import { pause } from "./watch.ts";

interface TailOptions {
  readonly logs?: boolean;
  readonly interval: string;
}

export const addTail: AddCommand = (program, run) => {
  program
    .command("tail")
    .description("jobs as they complete, fail or are cancelled, until it is interrupted")
    .argument("[filter...]", "terms such as type:send-mail status:failed")
    .option("--logs", "also the lines that running and ended attempts log")
    .option("--interval <duration>", "the time between two looks", "1s")
    .addHelpText("after", filterHelp)
    .action((terms: readonly string[], options: TailOptions) =>
      run((context) => tail(context, terms, options), { isUnbounded: true }),
    );
};

/** Jobs that one look prints, and running jobs whose lines are read. */
const endedMax = 500;
const loggedMax = 20;
/** The newest jobs that one look searches: as many as a store reads in a few milliseconds. */
const examineStep = 10_000;
/** A transaction may commit so long after the time that it stored. */
const lateMs = 10_000;

const tail = async (
  context: CommandContext,
  terms: readonly string[],
  { logs = false, interval }: TailOptions,
): Promise<Report> => {
  const { signal } = context;
  const intervalMs = Math.max(250, parseDuration(interval, "--interval"));
  const access = await context.access();
  const operator = await access.operator({ examineStep });
  const filter = joinTerms(terms);
  operator.parseFilter(filter);
  const ended = new EndedJobs(operator, filter, await operator.readClock());
  const lines = logs ? new RunningLogs(operator, filter) : null;
  await context.terminal.writeError("waiting for jobs to end; Ctrl-C stops\n");
  while (!signal.aborted) {
    const { jobs, isCut } = await ended.next();
    if (isCut) {
      await context.terminal.writeError(
        `more jobs ended than the newest ${endedMax}: narrow the filter\n`,
      );
    }
    const logged = (await lines?.next(jobs)) ?? [];
    await print(context, logged, jobs);
    await pause(intervalMs, signal);
  }
  return { json: null, lines: [], isPrinted: true };
};

interface Logged {
  readonly job: JobView;
  readonly line: JobLogLine;
}

const print = async (
  { terminal, globals: { json, jsonl, quiet } }: CommandContext,
  logged: readonly Logged[],
  jobs: readonly JobView[],
): Promise<void> => {
  const isForPrograms = json === true || jsonl === true;
  const texts = isForPrograms
    ? [
        ...logged.map(({ job, line }) => JSON.stringify({ jobId: job.id, log: line })),
        ...jobs.map((job) => JSON.stringify({ job })),
      ]
    : quiet === true
      ? []
      : [
          ...logged.flatMap(({ job, line }) =>
            logLine(terminal, line).map((text) => `${safeLine(job.typeName)} ${job.id} ${text}`),
          ),
          ...jobs.map((job) => endedLine(terminal, job)),
        ];
  if (texts.length > 0) await terminal.write(`${texts.join("\n")}\n`);
};

const colours = { completed: "green", failed: "red" } as const;

const endedLine = (terminal: Terminal, job: JobView): string => {
  const { id, typeName, status, finishedAt, lastAttemptAt, error } = job;
  const at = finishedAt === null ? "" : formatTime(finishedAt, terminal.isUtc);
  const ranMs =
    finishedAt === null || lastAttemptAt === null
      ? null
      : finishedAt.getTime() - lastAttemptAt.getTime();
  const ran = ranMs === null || status === "cancelled" ? "" : `  ran ${formatDuration(ranMs)}`;
  const [reason = ""] = (status === "completed" ? "" : (error?.text ?? "")).split("\n");
  const colour = status === "failed" ? colours.failed : colours.completed;
  const word = terminal.colour(status === "cancelled" ? "dim" : colour, status.padEnd(9));
  return `${at}  ${word}  ${safeLine(typeName)}  ${id}${ran}${reason === "" ? "" : `  ${safeLine(reason)}`}`;
};

/** The jobs that ended since the last look, the earliest first. */
class EndedJobs {
  readonly #operator: Operator;
  readonly #filter: string;
  readonly #begunAt: Date;
  /** Printed already, with the time of their end. */
  readonly #printed = new Map<string, number>();
  #since: Date;

  constructor(operator: Operator, filter: string, now: Date) {
    this.#operator = operator;
    this.#filter = filter;
    this.#begunAt = now;
    this.#since = now;
  }

  async next(): Promise<{ readonly jobs: readonly JobView[]; readonly isCut: boolean }> {
    const from = Math.max(this.#begunAt.getTime(), this.#since.getTime() - lateMs);
    const page = await this.#operator.listJobs({
      filter: `${this.#filter} finished-since:${new Date(from).toISOString()}`,
      limit: endedMax,
    });
    this.#since = page.at;
    for (const [id, finishedAt] of this.#printed) {
      if (finishedAt < from) this.#printed.delete(id);
    }
    const fresh = page.items
      .filter(({ id, finishedAt }) => this.#printed.get(id) !== finishedAt?.getTime())
      .sort((left, right) => timeOf(left) - timeOf(right));
    for (const job of fresh) this.#printed.set(job.id, timeOf(job));
    return { jobs: fresh, isCut: fresh.length === endedMax };
  }
}

const timeOf = ({ finishedAt }: JobView): number => finishedAt?.getTime() ?? 0;

/** The lines that were stored since the last look: of jobs that run, and once more of those that have ended. */
class RunningLogs {
  readonly #operator: Operator;
  readonly #filter: string;
  readonly #cursors = new Map<string, string | null>();

  constructor(operator: Operator, filter: string) {
    this.#operator = operator;
    this.#filter = filter;
  }

  async next(ended: readonly JobView[]): Promise<readonly Logged[]> {
    const { items } = await this.#operator.listJobs({
      filter: `${this.#filter} status:running`,
      limit: loggedMax,
    });
    const running = new Set(items.map(({ id }) => id));
    const logged: Logged[] = [];
    for (const job of [...items, ...ended.slice(0, loggedMax)]) {
      const { lines, cursor } = await this.#operator.getLogs({
        id: job.id,
        cursor: this.#cursors.get(job.id) ?? null,
      });
      this.#cursors.set(job.id, cursor);
      logged.push(...lines.map((line) => ({ job, line })));
    }
    // A job that is neither running nor ended now may be retried later: it is read from its beginning then, but once.
    if (this.#cursors.size > 1_000) {
      for (const id of this.#cursors.keys()) if (!running.has(id)) this.#cursors.delete(id);
    }
    return logged.sort((left, right) => left.line.at.getTime() - right.line.at.getTime());
  }
}
