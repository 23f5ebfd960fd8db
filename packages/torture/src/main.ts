//   pnpm torture --simulate --seed 1 --runs 10000
//   pnpm torture --store postgres --notify redis --seed 1 --minutes 2 --summaries runs.jsonl
//   pnpm torture soak --store postgres --hours 2
//   pnpm torture --tables --summaries runs.jsonl
import { parseArgs } from "node:util";
import type { NotifyName } from "./notify/transport.ts";
import type { StoreName } from "./stores/store.ts";
import type { Aim } from "./simulation/coverage.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: "string", default: "simulation" },
    /** The same as `--store simulation`. */
    simulate: { type: "boolean", default: false },
    /** One fault at one point of a statement, as a failing run of the simulation names it. */
    aim: { type: "string" },
    notify: { type: "string", default: "none" },
    /** How the store is set up: `plain`, or another of `setupsFor`. */
    setup: { type: "string", default: "plain" },
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "100" },
    minutes: { type: "string", default: "2" },
    /** How long a starter waits between two starts, at most: a longer run has to finish more. */
    pause: { type: "string" },
    /** With faults left out, until the fewest that fail are found. */
    shrink: { type: "boolean", default: false },
    /** A file for a line about each run, and for `--tables` of all of them. */
    summaries: { type: "string" },
    tables: { type: "boolean", default: false },
    /** Of a soak: its length, its load, and the folder of its samples and its plot. */
    hours: { type: "string", default: "2" },
    rate: { type: "string", default: "20" },
    folder: { type: "string", default: "soak" },
  },
});

const runSoak = async (): Promise<boolean> => {
  const { soak } = await import("./soak/soak.ts");
  const { store, notify, hours, rate: perSecond, folder } = values;
  const given = { store: store as StoreName, notify: notify as NotifyName, folder };
  const numbers = { hours: Number(hours), perSecond: Number(perSecond) };
  const summary = await soak({ ...given, ...numbers });
  console.log(JSON.stringify(summary));
  return summary.started === summary.completed;
};

/** Only requested stores are loaded: a simulation needs no driver. */
const isSound = async (): Promise<boolean> => {
  if (positionals[0] === "soak") return runSoak();
  const seed = Number(values.seed);
  if ((values.simulate || values.store === "simulation") && !values.tables) {
    const { runSimulations } = await import("./simulation/main.ts");
    const aim = values.aim === undefined ? null : (JSON.parse(values.aim) as Aim);
    const runs = Number(values.runs);
    return (await runSimulations({ firstSeed: seed, runs, isShrinking: values.shrink, aim })) === 0;
  }
  const { printTables, runConducted } = await import("./conductor/main.ts");
  const { store, notify, setup, summaries } = values;
  if (values.tables && summaries !== undefined) {
    printTables(summaries);
    return true;
  }
  const minutes = Number(values.minutes);
  const pauseMs = values.pause === undefined ? undefined : Number(values.pause);
  const given = { store, notify, setup, seed, minutes, pauseMs, summaries };
  return runConducted({ ...given, isShrinking: values.shrink });
};

process.exitCode = (await isSound()) ? 0 : 1;
