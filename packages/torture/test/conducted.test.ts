// Real processes on real servers, briefly: each seed draws its faults, and the checker finds nothing. How long recovery took is
// not judged here, on a machine that does something else besides. More with `pnpm torture --store … --notify … --seed …`.
import { describe, expect, it } from "vitest";
import { run } from "../src/conductor/run.ts";
import { entriesOf } from "../src/checker/history.ts";

const runs = [
  { store: "sqlite", notify: "none", seed: 1 },
  { store: "postgres", notify: "postgres", seed: 2 },
  { store: "mongodb", notify: "nats", seed: 3 },
] as const;

describe("real processes under faults", () => {
  it.each(runs)(
    "lose and double nothing: $store, notify $notify, seed $seed",
    async (options) => {
      const counts = { workerCount: 2, starterCount: 1, loadMs: 6_000, pauseMs: 400 };
      const { violations, history } = await run({ ...options, ...counts, isTimed: false });
      expect(violations).toEqual([]);
      expect(history.faults.length).toBeGreaterThan(2);
      expect(entriesOf(history, "began").length).toBeGreaterThan(20);
      expect(entriesOf(history, "ticked").length).toBeGreaterThan(2);
      expect(history.control.ticks.length).toBeGreaterThan(5);
    },
    // The run itself gives up when nothing moves any more. How long it takes depends on the machine.
    0,
  );
});
