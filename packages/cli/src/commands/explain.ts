import type { Explanation, Reason } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatAge, formatDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";
import { watch } from "./watch.ts";

export const addExplain: AddCommand = (program, run) => {
  program
    .command("explain")
    .description("why a job does not run, and how it goes on")
    .argument("<id...>", "ids of jobs")
    .option("--watch", "explains again each second, until all are finished")
    .action((ids: readonly string[], { watch: isWatched }: { readonly watch?: boolean }) =>
      isWatched === true
        ? run((context) => watch(context, () => explain(context, ids)), { isUnbounded: true })
        : run((context) => explain(context, ids)),
    );
};

const explain = async (
  context: CommandContext,
  ids: readonly string[],
): Promise<Report & { readonly isLast: boolean }> => {
  const operator = await (await context.access()).operator();
  const explanations: Explanation[] = [];
  for (const id of ids) explanations.push(await operator.explain({ id, logTail }));
  const isMissing = explanations.some(({ reasons }) => reasons[0]?.kind === "invisible");
  return {
    json: ids.length === 1 ? explanations[0] : explanations,
    rows: explanations,
    isLast: isMissing || explanations.every(({ verdict }) => verdict === "finished"),
    lines: explanations.flatMap((each, index) => [
      ...(index === 0 ? [] : [""]),
      ...explanationLines(context.terminal, each),
    ]),
    exitCode: isMissing ? exitCodes.notFound : exitCodes.done,
  };
};

/** The last lines of a running attempt. */
const logTail = 5;

const verdicts: Readonly<Record<Explanation["verdict"], string>> = {
  finished: "It is finished.",
  running: "It is running.",
  will_run: "It runs as soon as a worker has room.",
  waits: "It goes on by itself.",
  stuck: "It does not go on by itself.",
};

/** A scheduled job has its time in the reason. */
const estimateOf = ({ at, runsAt, verdict }: Explanation): string =>
  runsAt.estimate === null || verdict !== "will_run"
    ? ""
    : ` At the rate of the last minutes, ${formatAge(runsAt.estimate, at)}.`;

/** The jobs that hold the slots, and the last lines of a running attempt. */
const detailLines = (reason: Reason): string[] => {
  if (reason.kind === "running") return reason.logTail.map((line) => `  log: ${safeLine(line)}`);
  if (reason.kind !== "workers_full") return [];
  return reason.holders.map(
    ({ typeName, jobId, forMs, workerId }) =>
      `  runs: ${safeLine(typeName)} ${safeLine(jobId)} for ${formatDuration(forMs)} on ${safeLine(workerId)}`,
  );
};

export const explanationLines = (terminal: Terminal, explanation: Explanation): string[] => {
  const { headline, reasons, rootCause, remedies, unknown, verdict } = explanation;
  const more = reasons.slice(1).map(({ text }) => `  also: ${safeLine(text)}`);
  const path = rootCause === null ? [] : rootCause.path;
  const causes = path.map(
    ({ typeName, jobId, status }, index) =>
      `${"  ".repeat(index + 1)}waits for ${safeLine(typeName)} ${safeLine(jobId)}, ${status}` +
      (index === path.length - 1 ? terminal.colour("bold", "  ← root cause") : ""),
  );
  const cause = rootCause === null ? [] : [`  ${safeLine(rootCause.reason.text)}`];
  return [
    terminal.colour("bold", safeLine(headline)),
    ...reasons.flatMap(detailLines),
    ...more,
    ...causes,
    ...cause,
    ...(reasons[0]?.kind === "invisible" ? [] : [verdicts[verdict] + estimateOf(explanation)]),
    ...remedies.map(
      ({ command, effect }) =>
        `  ${command === null ? "" : `${terminal.colour("green", safeLine(command))}   `}${safeLine(effect)}`,
    ),
    ...(unknown.length === 0
      ? []
      : [terminal.colour("dim", `not known in this store: ${unknown.join(", ")}`)]),
  ];
};
