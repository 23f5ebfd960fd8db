// Retry, trigger and delete: planned first, then applied. A plan that changes several jobs, or deletes, needs its number repeated.
import type { ApplyResult, Operator, PlanAction } from "queuert/operator";
import type { Command } from "commander";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { joinTerms } from "./filter-words.ts";
import { confirmPlan } from "./confirm.ts";
import { type AnyPlan, planLines, resultLines } from "./plan-text.ts";
import { userOf } from "./user-of.ts";

export interface ActOptions {
  readonly where?: string;
  readonly plan?: boolean;
  readonly yes?: boolean;
  readonly count?: string;
  readonly pace?: string;
}

const descriptions: Readonly<Record<PlanAction, string>> = {
  retry: "make failed jobs due again, with their attempts counted from 0",
  trigger: "make pending jobs due now",
  cancel: "cancel sequences, with the sequences that were started for them",
  delete: "delete whole trees, by a job of each",
};

/** The options of a command that plans and applies. */
export const withPlanOptions = (command: Command): Command =>
  command
    .option("--plan", "prints the effect, writes nothing; exit 5")
    .option("--yes", "does not ask; needs --count if the plan does")
    .option("--count <number>", "the number of the plan, which confirms it")
    .option("--pace <rate>", "at most so many a minute, such as 500/m; default: at once");

export const addAct =
  (action: PlanAction): AddCommand =>
  (program, run) => {
    const command = program
      .command(action)
      .description(descriptions[action])
      .argument("[id...]", "ids of jobs")
      .option("--where <filter>", "all jobs that match, such as 'type:send-mail since:2h'");
    withPlanOptions(command).action((ids: readonly string[], options: ActOptions) =>
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
  const target = where === undefined ? { ids } : { filter: joinTerms([where]) };
  return carryOut(context, action, options, (operator, user) =>
    operator.plan({ action, ...target, user }),
  );
};

/** Plans, asks, and applies. `name`: that of the command. */
export const carryOut = async (
  context: CommandContext,
  name: string,
  options: Omit<ActOptions, "where">,
  make: (operator: Operator, user: string) => Promise<AnyPlan>,
): Promise<Report> => {
  const count = toCount(options.count);
  const pacePerMinute = toPace(options.pace);
  const access = await context.access(options.plan === true ? {} : { writes: name });
  const operator = await access.operator();
  const plan = await make(operator, userOf(context));
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
  return apply(context, operator, plan, { count: answer.count, pacePerMinute });
};

/** The token is signed for this process: it is of no use outside. */
const withoutToken = ({ token: _token, ...plan }: AnyPlan): Omit<AnyPlan, "token"> => plan;

const exitOfNothing = ({ refused }: AnyPlan) => {
  if (refused.length === 0) return exitCodes.done;
  const isUnknown = refused.every(({ reason }) => reason === "not_found");
  return isUnknown ? exitCodes.notFound : exitCodes.refused;
};

const apply = async (
  context: CommandContext,
  operator: Operator,
  plan: AnyPlan,
  { count, pacePerMinute }: { readonly count: number; readonly pacePerMinute: number | undefined },
): Promise<Report> => {
  const { terminal, signal, globals } = context;
  const showsProgress = terminal.isTty && globals.json !== true && globals.quiet !== true;
  const result = await operator.apply({
    token: plan.token,
    user: userOf(context),
    count,
    pacePerMinute,
    signal,
    onProgress: ({ done, total }) => {
      if (showsProgress && (total > 500 || pacePerMinute !== undefined))
        void terminal.writeError(`\r${done} of ${total}`);
    },
  });
  return {
    json: { plan: withoutToken(plan), result },
    lines: resultLines(plan, result),
    exitCode: exitOf(plan, result),
  };
};

const exitOf = (plan: AnyPlan, { refused, isStopped }: ApplyResult) => {
  if (isStopped) return exitCodes.interrupted;
  return refused > 0 || plan.refused.length > 0 ? exitCodes.refused : exitCodes.done;
};

/** By the minute, by the second (`8/s`) or by the hour (`600/h`). */
const toPace = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const [, number, unit = "m"] = /^(\d{1,6})(?:\/([smh]))?$/.exec(text) ?? [];
  const perMinute = Math.floor(
    Number(number) * { s: 60, m: 1, h: 1 / 60 }[unit as "s" | "m" | "h"],
  );
  if (perMinute >= 1) return perMinute;
  throw new CliUsageError(
    `--pace is "${text}": give a rate of at least one a minute, such as 500/m.`,
  );
};

const toCount = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new CliUsageError(`--count is "${text}": give the number of the plan.`);
};
