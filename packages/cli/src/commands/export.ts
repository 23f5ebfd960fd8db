// Jobs as JSON lines, page by page: the memory does not grow with the store.
import type { JobsPage, JobView, PayloadHead } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { formatCount } from "../output/durations.ts";
import { filterHelp, joinTerms } from "./filter-words.ts";
import { toOrder } from "./list.ts";

interface ExportOptions {
  readonly raw?: boolean;
  readonly order: string;
}

export const addExport: AddCommand = (program, run) => {
  program
    .command("export")
    .description("print all jobs that match a filter, one JSON document a line")
    .argument("[filter...]", "terms such as status:failed since:1d")
    .option("--order <order>", "asc or desc, by creation", "asc")
    .option("--raw", "shows payloads without redaction")
    .addHelpText("after", filterHelp)
    .action((terms: readonly string[], options: ExportOptions) =>
      run((context) => exportJobs(context, terms, options), { isUnbounded: true }),
    );
};

// A payload may have a megabyte.
const pageSize = 100;

const exportJobs = async (
  context: CommandContext,
  terms: readonly string[],
  { raw, order: given }: ExportOptions,
): Promise<Report> => {
  const { terminal, signal } = context;
  const order = toOrder(given, ["asc", "desc"]);
  const access = await context.access();
  const operator = await access.operator({ payloads: raw === true ? "raw" : "redacted" });
  const filter = joinTerms(terms);
  let cursor: string | null = null;
  let count = 0;
  do {
    const options = { filter, order, cursor, limit: pageSize, wholePayloads: true } as const;
    const page: JobsPage = await operator.listJobs(options);
    await terminal.write(page.items.map(toLine).join(""));
    count += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && !signal.aborted);
  return { json: null, lines: [], notes: [`${formatCount(count)} jobs`], isPrinted: true };
};

/** The fields of the job, with its payloads as values. `why` is of the moment, and left out. */
const toLine = ({ why: _why, ordinal: _ordinal, ...job }: JobView): string =>
  `${JSON.stringify({
    ...job,
    input: valueOf(job.input),
    output: job.output === null ? null : valueOf(job.output),
    error: job.error?.text ?? null,
  })}\n`;

/** A payload that is not JSON is broken, and exported as a text. */
const valueOf = ({ text }: PayloadHead): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The text says more than an error here.
    return text;
  }
};
