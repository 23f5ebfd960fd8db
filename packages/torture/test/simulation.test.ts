import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { simulateCalendar } from "../src/simulation/calendar.ts";
import { simulate } from "../src/simulation/simulate.ts";

// Ten seeds a case, so that a failing one is found soon; more with `pnpm torture --store simulation --runs 1000`.
const firstSeeds = [1, 11, 21, 31, 41, 51];

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const tsx = createRequire(here("../../../package.json")).resolve("tsx");

/** One seed in a process of its own, with these modules loaded first. */
const simulateElsewhere = async (seed: number, imports: readonly string[]): Promise<unknown> => {
  const flags = [pathToFileURL(tsx).href, ...imports].flatMap((url) => ["--import", url]);
  const args = ["--no-warnings", "--conditions=@queuert/source", ...flags];
  const script = [here("processes/simulate-once.ts"), String(seed)];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...script]);
  return JSON.parse(stdout);
};

describe("the engine under simulated faults", () => {
  it.each(firstSeeds)(
    "keeps its promises with seeds from %i on",
    async (firstSeed) => {
      let [jobs, removed] = [0, 0];
      for (let seed = firstSeed; seed < firstSeed + 10; seed++) {
        const { violations, jobCount, removedCount } = await simulate(seed);
        expect(violations, `seed ${seed}`).toEqual([]);
        jobs += jobCount;
        removed += removedCount;
      }
      expect(jobs).toBeGreaterThan(100);
      expect(removed).toBeGreaterThan(10);
    },
    60_000,
  );

  it("does the same again for the same seed", async () => {
    const [first, second] = [await simulate(7), await simulate(7)];
    expect(second).toEqual(first);
  });

  it("keeps nothing of a seed that is over", async () => {
    setFlagsFromString("--expose-gc");
    // As Node's own option names it.
    const collect = runInNewContext("gc") as () => void;
    const simulateOnce = async (seed: number): Promise<WeakRef<object>> =>
      new WeakRef((await simulate(seed)).coverage);
    const left: WeakRef<object>[] = [];
    for (let seed = 1; seed <= 6; seed++) left.push(await simulateOnce(seed));
    await vi.waitFor(() => {
      collect();
      expect(left.filter((each) => each.deref() !== undefined)).toHaveLength(0);
    });
  });

  it("does the same where a module is found late", async () => {
    const slow = pathToFileURL(here("slow-imports.mjs")).href;
    const { jobCount, attemptCount, virtualMs, violations } = await simulate(30_044);
    const expected = { jobCount, attemptCount, virtualMs, violations };
    expect(await simulateElsewhere(30_044, [])).toEqual(expected);
    expect(await simulateElsewhere(30_044, [slow])).toEqual(expected);
  }, 60_000);

  it.each([1, 2, 4, 8])(
    "keeps the ticks of schedules over weeks: seed %i",
    async (seed) => {
      const { violations, attemptCount } = await simulateCalendar(seed);
      expect(violations).toEqual([]);
      expect(attemptCount).toBeGreaterThan(5);
    },
    60_000,
  );
});
