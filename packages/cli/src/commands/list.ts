import type { JobsPage } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { formatCount } from "../output/durations.ts";
import { tableLines } from "../output/table.ts";
import { chooseColumns } from "./columns.ts";
import { filterHelp, joinTerms } from "./filter-words.ts";

interface ListOptions {
  readonly limit: string;
  readonly order: string;
  readonly cursor?: string;
  readonly columns?: string;
  readonly raw?: boolean;
  readonly count?: boolean;
}

export const addList: AddCommand = (program, run) => {
  program
    .command("list")
    .description("list the jobs that match a filter, the newest first")
    .argument("[filter...]", "terms such as status:failed type:send-mail since:2h")
    .option("--limit <number>", "the most jobs, up to 1000", "50")
    .option(
      "--order <order>",
      "asc or desc, by creation; next: in which the due jobs of one type begin",
      "desc",
    )
    .option("--cursor <cursor>", "looks further, from the end of another list")
    .option("--columns <names>", "such as id,status,input.userId")
    .option("--raw", "shows payloads without redaction")
    .option("--count", "only how many jobs match, from a bounded look")
    .addHelpText("after", filterHelp)
    .action((terms: readonly string[], options: ListOptions) =>
      run((context) =>
        options.count === true ? count(context, terms, options) : list(context, terms, options),
      ),
    );
};

const list = async (
  context: CommandContext,
  terms: readonly string[],
  options: ListOptions,
): Promise<Report> => {
  const { terminal } = context;
  const look = { now: new Date(), terminal };
  const columns = chooseColumns(options.columns, look);
  const order = toOrder(options.order, ["asc", "desc", "next"]);
  const limit = toLimit(options.limit);
  const access = await context.access();
  const operator = await access.operator({ payloads: options.raw === true ? "raw" : "redacted" });
  const page = await operator.listJobs({
    filter: joinTerms(terms),
    limit,
    order,
    cursor: options.cursor,
  });
  const { items, nextCursor, examined } = page;
  return {
    json: { items, nextCursor, examined },
    rows: items,
    lines: items.length === 0 ? [] : tableLines(terminal, columns, items),
    notes: notesOf(page, limit),
  };
};

const count = async (
  context: CommandContext,
  terms: readonly string[],
  { raw }: ListOptions,
): Promise<Report> => {
  const access = await context.access();
  const operator = await access.operator({ payloads: raw === true ? "raw" : "redacted" });
  const report = await operator.countJobs({ filter: joinTerms(terms) });
  const most = report.isAtLeast ? ["there may be more: counting looks at 100,000 jobs"] : [];
  return {
    json: { count: report.count, isAtLeast: report.isAtLeast },
    lines: [formatCount(report.count)],
    notes: most,
  };
};

/** One of these orders, of which there are at least two. */
export const toOrder = <TOrder extends string>(text: string, orders: readonly TOrder[]): TOrder => {
  const order = orders.find((each) => each === text);
  if (order !== undefined) return order;
  const others = orders.slice(0, -1).join(", ");
  throw new CliUsageError(`--order is "${text}": give ${others} or ${orders.at(-1)}.`);
};

const toLimit = (text: string): number => {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw new CliUsageError(`--limit is "${text}": give a whole number from 1 to 1000.`);
};

/** How far the search looked. An empty list must not look like an empty store. */
const notesOf = ({ items, nextCursor, examined, isCut }: JobsPage, limit: number): string[] => {
  if (isCut) return ["more jobs may be due, behind many scheduled ones of a higher priority"];
  if (nextCursor === null) return items.length === 0 ? ["no job matches"] : [];
  const reason =
    items.length === limit ? "there may be more" : `looked at ${formatCount(examined)} jobs`;
  return [`${reason}; go on with --cursor ${nextCursor}`];
};
