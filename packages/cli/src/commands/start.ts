import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { parseDuration } from "../output/durations.ts";
import { readPayload } from "../output/read-payload.ts";
import { safeLine } from "../output/safe-text.ts";

interface StartOptions {
  readonly input?: string;
  readonly key?: string;
  readonly in?: string;
  readonly priority?: string;
}

export const addStart: AddCommand = (program, run) => {
  program
    .command("start")
    .description("start a sequence")
    .argument("<type>", "the job type")
    .option("--input <json>", "JSON, @file.json, or @- for the standard input; default: null")
    .option("--key <key>", "a deduplication key: an unfinished sequence that holds it is returned")
    .option("--in <duration>", "due after this time; default: at once")
    .option("--priority <number>", "higher first; default: 0")
    .action((typeName: string, options: StartOptions) =>
      run((context) => start(context, typeName, options)),
    );
};

const start = async (
  context: CommandContext,
  typeName: string,
  options: StartOptions,
): Promise<Report> => {
  const { key, in: delay, priority } = options;
  const input =
    options.input === undefined ? null : readPayload(options.input, "--input", context.cwd);
  const afterMs = delay === undefined ? undefined : parseDuration(delay, "--in");
  const access = await context.access({ writes: "start" });
  const client = await access.client();
  const sequence = await client.startJobSequence({
    typeName,
    input,
    autocommit: true,
    ...(key !== undefined && { deduplication: { key } }),
    ...(afterMs !== undefined && { schedule: { afterMs } }),
    ...(priority !== undefined && { priority: toPriority(priority) }),
  });
  await client.close();
  const { id, status, deduplicated } = sequence;
  const verb = deduplicated ? "found, by its key:" : "started";
  return {
    json: { id, typeName: sequence.typeName, status, deduplicated },
    lines: [`${verb} ${safeLine(sequence.typeName)} ${safeLine(id)}`],
  };
};

const toPriority = (text: string): number => {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new CliUsageError(`--priority is "${text}": give a whole number.`);
};
