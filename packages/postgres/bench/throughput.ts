// How fast the adapter is beside hand-written SQL on the same server, in the same run. Run it with
//   pnpm --filter @queuert/postgres bench:throughput [--case NAME]... [--quick] [--rounds N]
// It measures the built packages, as users install them. From sources, tsx names every function, which costs.
// A case with --quick takes less than a minute. Latency, several processes and peers are measured by packages/benchmarks.
import { parseArgs } from "node:util";
import { adapterCases } from "./adapter-cases.ts";
import { engineCases } from "./engine-cases.ts";
import { operatorCases } from "./operator-cases.ts";
import { type BenchCase, measureCases } from "./measure.ts";

const { values } = parseArgs({
  options: {
    case: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
  },
});

const all: readonly BenchCase[] = [...adapterCases, ...engineCases, ...operatorCases];
const wanted = values.case ?? [];
// By the beginnings of their names.
const chosen = all.filter(
  ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);
if (chosen.length === 0) throw new Error(`No such case: ${wanted.join(", ")}`);

const rounds = Number(values.rounds ?? (values.quick ? 3 : 5));
const round = (value: number): string => value.toFixed(value < 100 ? 2 : 0);
process.stdout.write(
  "| case | floor | ours | unit | ratio (lowest to highest) |\n|---|---|---|---|---|\n",
);
await measureCases(
  chosen,
  { rounds, isQuick: values.quick },
  ({ name, unit, floor, ours, ratios }) => {
    const sorted = [...ratios].sort((a, b) => a - b);
    const middle = round(sorted[sorted.length >> 1] ?? Number.NaN);
    const range = `${round(sorted[0] ?? Number.NaN)} to ${round(sorted.at(-1) ?? Number.NaN)}`;
    process.stdout.write(
      `| ${name} | ${round(floor)} | ${round(ours)} | ${unit} | ${middle} (${range}) |\n`,
    );
  },
);
