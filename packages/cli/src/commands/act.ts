// Retry, trigger and delete: planned first, then applied. A plan that changes several jobs, or deletes, needs its number repeated.
import type { ApplyResult, Operator, Plan, PlanAction } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { joinTerms } from "./filter-words.ts";
import { confirmPlan } from "./confirm.ts";
import { planLines, resultLines } from "./plan-text.ts";

export interface ActOptions {
  readonly where?: string;
  readonly plan?: boolean;
  readonly yes?: boolean;
  readonly count?: string;
}

const descriptions: Readonly<Record<PlanAction, string>> = {
  retry: "make failed jobs due again, with their attempts counted from 0",
  trigger: "make pending jobs due now",
  cancel: "cancel unfinished sequences, with the sequences that were started for them",
  delete: "delete whole trees, by a job of each",
};

export const addAct =
  (action: PlanAction): AddCommand =>
  (program, run) => {
    program
      .command(action)
      .description(descriptions[action])
      .argument("[id...]", "ids of jobs")
      .option("--where <filter>", "all jobs that match, such as 'type:send-mail since:2h'")
      .option("--plan", "prints the effect, writes nothing; exit 5")
      .option("--yes", "does not ask; needs --count if the plan does")
      .option("--count <number>", "the number of the plan, which confirms it")
      .action((ids: readonly string[], options: ActOptions) =>
        run((context) => act(context, action, ids, options), { isUnbounded: true }),
      );
  };

const act = async (
  context: CommandContext,
  action: PlanAction,
  ids: readonly string[],
  options: ActOptions,
): Promise<Report> => {
  const { where } = options;
  if ((ids.length === 0) === (where === undefined)) {
    throw new CliUsageError(`Give ids to ${action}, or --where '<filter>'.`);
  }
  const count = toCount(options.count);
  const access = await context.access(options.plan === true ? {} : { writes: action });
  const operator = await access.operator();
  const target = where === undefined ? { ids } : { filter: joinTerms([where]) };
  const plan = await operator.plan({ action, ...target });
  const shown: Report = { json: { plan: withoutToken(plan) }, lines: planLines(plan) };
  if (options.plan === true) return { ...shown, exitCode: exitCodes.needsConfirmation };
  if (plan.count === 0) return { ...shown, exitCode: exitOfNothing(plan) };
  const mustAsk = access.config.confirm === "always" || plan.confirm === "count";
  const answer = await confirmPlan(context, plan, { mustAsk, yes: options.yes === true, count });
  if (answer.kind === "needed") {
    return {
      ...shown,
      notes: [`nothing was written; confirm with --yes --count ${plan.count}`],
      exitCode: exitCodes.needsConfirmation,
    };
  }
  return apply(context, operator, plan, answer.count);
};

/** The token is signed for this process: it is of no use outside. */
const withoutToken = ({ token: _token, ...plan }: Plan): Omit<Plan, "token"> => plan;

const exitOfNothing = ({ refused }: Plan) => {
  if (refused.length === 0) return exitCodes.done;
  const isUnknown = refused.every(({ reason }) => reason === "not_found");
  return isUnknown ? exitCodes.notFound : exitCodes.refused;
};

const apply = async (
  context: CommandContext,
  operator: Operator,
  plan: Plan,
  count: number,
): Promise<Report> => {
  const { terminal, signal, globals } = context;
  const showsProgress = terminal.isTty && globals.json !== true && globals.quiet !== true;
  const result = await operator.apply({
    token: plan.token,
    count,
    signal,
    onProgress: ({ done, total }) => {
      if (showsProgress && total > 500) void terminal.writeError(`\r${done} of ${total}`);
    },
  });
  return {
    json: { plan: withoutToken(plan), result },
    lines: resultLines(plan, result),
    exitCode: exitOf(plan, result),
  };
};

const exitOf = (plan: Plan, { refused, isStopped }: ApplyResult) => {
  if (isStopped) return exitCodes.interrupted;
  return refused > 0 || plan.refused.length > 0 ? exitCodes.refused : exitCodes.done;
};

const toCount = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new CliUsageError(`--count is "${text}": give the number of the plan.`);
};
