// The cost of observing: draining jobs without an adapter, with the adapter and no SDK, and with the adapter and the SDK.
// Spans are exported to nowhere. Rounds are interleaved, in an order that turns. The result is the median of each round's
// ratio to the same round without an adapter. Build first, since users run the build:
//   pnpm build && npx tsx packages/otel/bench/overhead.ts [postgres|in-process] [rounds] [jobs by value] [jobs by callback]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@queuert/test-services";
import {
  type Cost,
  type Mode,
  modes,
  type Round,
  type Settlement,
  settlements,
} from "./overhead/modes.ts";

const [store = "postgres", ...counts] = process.argv.slice(2);
const [roundCount = 9, byValueCount = 20_000, byCallbackCount = 4_000] = counts.map(Number);
const jobCounts: Readonly<Record<Settlement, number>> = {
  value: byValueCount,
  callback: byCallbackCount,
};

const startProcess = async (mode: Mode, url: string): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL("./overhead/measure.ts", import.meta.url)), [mode, url]);
  await once(child, "message");
  return child;
};

const measure = async (child: ChildProcess, round: Round): Promise<Cost> => {
  child.send(round);
  // Its only messages are answers.
  const [cost] = (await once(child, "message")) as [Cost];
  return cost;
};

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;

const report = (settlement: Settlement, mode: Mode, costs: Cost[], without: Cost[]): void => {
  const loss = (of: (cost: Cost) => number): string => {
    const ratios = costs.map((cost, index) => of(without[index] ?? cost) / of(cost));
    return `${((1 - median(ratios)) * 100).toFixed(1)} %`.padStart(7);
  };
  const wall = median(costs.map(({ wallMicroseconds }) => wallMicroseconds));
  const cpu = median(costs.map(({ cpuMicroseconds }) => cpuMicroseconds));
  console.log(
    `${store}, by ${settlement}, ${mode.padEnd(20)} ${String(Math.round(1e6 / wall)).padStart(6)} jobs/s` +
      ` (loss ${loss(({ wallMicroseconds }) => wallMicroseconds)}),` +
      ` ${cpu.toFixed(1).padStart(6)} µs of CPU a job (loss ${loss(({ cpuMicroseconds }) => cpuMicroseconds)})`,
  );
};

const server = store === "postgres" ? await startPostgres() : null;
const url = server === null ? "" : (await server.createDatabase()).url;
const children = new Map<Mode, ChildProcess>();
for (const mode of modes) children.set(mode, await startProcess(mode, url));

for (const settlement of settlements) {
  const round = { settlement, jobCount: jobCounts[settlement] };
  for (const child of children.values()) await measure(child, round);
  const costs = new Map<Mode, Cost[]>(modes.map((mode) => [mode, []]));
  for (let count = 0; count < roundCount; count++) {
    const order = modes.map((_, index) => modes[(index + count) % modes.length] ?? modes[0]);
    for (const mode of order) {
      const child = children.get(mode);
      if (child !== undefined) costs.get(mode)?.push(await measure(child, round));
    }
  }
  const without = costs.get("no adapter") ?? [];
  for (const [mode, values] of costs) report(settlement, mode, values, without);
}
for (const child of children.values()) child.send(null as unknown as Round);
await server?.close();
