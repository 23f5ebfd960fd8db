//   pnpm torture --store simulation --seed 1 --runs 1000
//   pnpm torture --store postgres --notify redis --seed 1 --minutes 2 --summaries runs.jsonl
//   pnpm torture --tables --summaries runs.jsonl
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "simulation" },
    notify: { type: "string", default: "none" },
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
  },
});

/** Only requested stores are loaded: a simulation needs no driver. */
const isSound = async (): Promise<boolean> => {
  const seed = Number(values.seed);
  if (values.store === "simulation" && !values.tables) {
    const { runSimulations } = await import("./simulation/main.ts");
    return (await runSimulations(seed, Number(values.runs), values.shrink)) === 0;
  }
  const { printTables, runConducted } = await import("./conductor/main.ts");
  const { store, notify, summaries } = values;
  if (values.tables && summaries !== undefined) {
    printTables(summaries);
    return true;
  }
  const minutes = Number(values.minutes);
  const pauseMs = values.pause === undefined ? undefined : Number(values.pause);
  const given = { store, notify, seed, minutes, pauseMs, summaries };
  return runConducted({ ...given, isShrinking: values.shrink });
};

process.exitCode = (await isSound()) ? 0 : 1;
