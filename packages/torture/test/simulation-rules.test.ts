// The rules that a simulation judges besides those of the checker, each with a planted violation.
import { readFileSync } from "node:fs";
import type { AnyStateAdapter } from "queuert";
import { expect, it } from "vitest";
import { simulateCalendar } from "../src/simulation/calendar.ts";
import { simulate, type SimulateOptions } from "../src/simulation/simulate.ts";

const withoutAcquiring = (state: AnyStateAdapter): AnyStateAdapter => ({
  ...state,
  acquireJobs: () => Promise.resolve({ jobs: [], nextDueInMs: null }),
});

const never = (): Promise<never> => new Promise(() => undefined);

const unstoppable: SimulateOptions = {
  plantClient: (queuert) => Object.assign(queuert, { close: never }),
};

const planted: readonly (readonly [string, string, typeof simulate, SimulateOptions])[] = [
  ["a seed", "all is quiet in time", simulate, { plant: withoutAcquiring }],
  ["a seed", "workers stop", simulate, unstoppable],
  [
    ...(["a calendar", "all is quiet in time", simulateCalendar] as const),
    { plantClient: (queuert) => Object.assign(queuert, { upsertSchedules: never }) },
  ],
  ["a calendar", "workers stop", simulateCalendar, unstoppable],
];

it.each(planted)("%s finds that not %s", async (_name, rule, run, options) => {
  const { violations } = await run(8, options);
  expect(violations.map((one) => one.rule)).toContain(rule);
});

it("each rule of a simulation has a planted violation", () => {
  const text = ["simulate", "calendar"]
    .map((name) => readFileSync(new URL(`../src/simulation/${name}.ts`, import.meta.url), "utf8"))
    .join("\n");
  const rules = [...text.matchAll(/\brule: "([^"]+)"/g)].map(([, rule]) => rule);
  const found = planted.map(([, rule]) => rule);
  expect([...new Set(rules)].sort()).toEqual([...new Set(found)].sort());
});
