import { describe, expect, it } from "vitest";
import { simulateCalendar } from "../src/simulation/calendar.ts";
import { simulate } from "../src/simulation/simulate.ts";

// Ten seeds a case, so that a failing one is found soon; more with `pnpm torture --store simulation --runs 1000`.
const firstSeeds = [1, 11, 21, 31, 41, 51];

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
