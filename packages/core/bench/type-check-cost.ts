// The cost of the types to a user's compiler, by the number of job types, for both compilers. With
// `--check` it fails if the cost is over its budget or grows faster than the number of types.
//   tsx packages/core/bench/type-check-cost.ts [--check]
import { compile, compilers, coreFolder, type CompilerName } from "../test/types/compile.ts";
import { fixtures, type Fixture } from "./type-check-fixtures.ts";

interface Cost {
  readonly fixture: string;
  readonly compiler: CompilerName;
  readonly typeCount: number;
  readonly instantiations: number;
  readonly types: number;
  readonly checkSeconds: number;
  readonly memoryMb: number;
}

const typeCounts = [250, 500, 1000];

/**
 * Instantiations per job type, at any size: about a tenth above the figure measured when it was
 * last set.
 */
const budgets: Readonly<Record<string, number>> = {
  "chains of 100": 700,
  "two blockers each": 1_110,
  "reads of any type": 780,
};

/** How far the cost per type may be from that of the smallest program. */
const toleratedGrowth = 1.2;

const measure = async (
  { name, source }: Fixture,
  compiler: CompilerName,
  typeCount: number,
): Promise<Cost> => {
  const files = { "fixture.mts": source(typeCount, coreFolder) };
  const output = await compile(compiler, files, ["--extendedDiagnostics"]);
  const mistake = /^.*error TS\d+.*$/m.exec(output)?.[0];
  if (mistake !== undefined) throw new Error(`${compiler}, ${name}, ${typeCount}: ${mistake}`);
  const read = (label: string): number =>
    Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(output)?.[1]);
  return {
    fixture: name,
    compiler,
    typeCount,
    instantiations: read("Instantiations"),
    types: read("Types"),
    checkSeconds: read("Check time"),
    memoryMb: Math.round(read("Memory used") / 1024),
  };
};

const perType = ({ instantiations, typeCount }: Cost): number =>
  Math.round(instantiations / typeCount);

const problemsOf = (costs: readonly Cost[]): string[] => {
  const over = costs
    .filter((cost) => !(perType(cost) <= (budgets[cost.fixture] ?? 0)))
    .map((cost) => `over the budget of ${budgets[cost.fixture]}: ${perType(cost)}`);
  const [smallest] = costs;
  const growing = costs
    .filter((cost) => smallest && perType(cost) > perType(smallest) * toleratedGrowth)
    .map((cost) => `grows: ${perType(cost)} per type at ${cost.typeCount}`);
  return [...over, ...growing];
};

const problems: string[] = [];
for (const fixture of fixtures) {
  for (const compiler of Object.keys(compilers) as CompilerName[]) {
    const costs: Cost[] = [];
    for (const typeCount of typeCounts) costs.push(await measure(fixture, compiler, typeCount));
    console.table(costs.map((cost) => ({ ...cost, perType: perType(cost) })));
    problems.push(
      ...problemsOf(costs).map((problem) => `${fixture.name}, ${compiler}: ${problem}`),
    );
  }
}
if (process.argv.includes("--check")) {
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
