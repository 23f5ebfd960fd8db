// The unfinished jobs of a store against the job types of the config: before a deployment, or in CI against a copy.
import type { CheckedType, CheckReport } from "queuert";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount, formatDuration } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";

interface CheckCommandOptions {
  readonly examine: string;
}

export const addCheck: AddCommand = (program, run) => {
  program
    .command("check")
    .description("compare unfinished jobs with the job types of this build; exit 6 on a finding")
    .option("--examine <count>", "the most inputs to read of each type", "10000")
    .action((options: CheckCommandOptions) =>
      run((context) => check(context, options), { isUnbounded: true }),
    );
};

const check = async (
  context: CommandContext,
  { examine }: CheckCommandOptions,
): Promise<Report> => {
  const examineMax = /^[1-9]\d{0,14}$/.test(examine) ? Number(examine) : null;
  if (examineMax === null) throw new CliUsageError("`--examine` takes a positive number.");
  const { client, config } = await context.access();
  if (config.jobTypeDefinitions?.catalogue === undefined) {
    throw new CliUsageError(
      `${config.origin} has no catalogue to check with. Give \`jobTypeDefinitions\` the result of ` +
        "`defineUnionJobTypes({ … })`, with an entry for each job type.",
    );
  }
  const report = await (await client()).check({ examineMax, signal: context.signal });
  return {
    json: report,
    lines: toLines(context.terminal, report),
    exitCode: report.isWell ? exitCodes.done : exitCodes.checksFailed,
  };
};

const toLines = ({ colour }: Terminal, { types }: CheckReport): string[] => {
  const findings = types.flatMap(toFindings);
  const well = types.filter(({ isUnknown, refused }) => !isUnknown && refused === 0).length;
  const rest = `${formatCount(well)} ${well === 1 ? "type" : "types"} with unfinished jobs`;
  return [
    ...findings.map((text) => `${colour("red", "✗")} ${safeLine(text)}`),
    `${colour("green", "✓")} ${rest}`,
  ];
};

const toFindings = (type: CheckedType): readonly string[] => {
  const { typeName, jobCount, isUnknown, nearTypeNames, examined, refused, issues, jobIds } = type;
  const ids = jobIds.join(", ");
  if (isUnknown) {
    const age = formatDuration(Date.now() - type.oldestAt.getTime());
    const near = nearTypeNames.map((name) => `"${name}"`).join(" or ");
    const remedy =
      near === "" ? "" : ` Did you mean ${near}? Then give it \`formerNames: ["${typeName}"]\`.`;
    const jobs = jobCount === 1 ? "job" : "jobs";
    return [
      `${formatCount(jobCount)} ${jobs} of "${typeName}" (oldest ${age}): this build does not define it.${remedy} → ${ids}`,
    ];
  }
  if (refused === 0) return [];
  const counts = `${formatCount(refused)} of ${formatCount(examined)}`;
  return [`${counts} "${typeName}": ${issues.join("; ")} → ${ids}`];
};
