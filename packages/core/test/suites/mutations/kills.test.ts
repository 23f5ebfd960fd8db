// Runs the suites against stores that are broken on purpose: each must be found out.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createInProcessStateAdapter } from "../../../src/in-process/create-in-process-state-adapter.ts";
import {
  limitKeySuites,
  runStateCase,
  stateRaceSuites,
  stateSuites,
} from "../../../src/testing.ts";
import type { StateSuite } from "../../../src/testing.ts";
import { settlesWithin } from "../../../src/testing/waiting.ts";
import { arbitraryOperations } from "../../../src/testing/model/arbitraries.ts";
import { playAgainstOracle } from "../../../src/testing/model.suite.ts";
import type { StateAdapterMethod } from "../../../src/testing/state/index.ts";
import type { Breaker, Breakers } from "./breaker.ts";
import { brokenCreation } from "./broken-creation.ts";
import { brokenHolding } from "./broken-holding.ts";
import { brokenLimitKeys } from "./broken-limit-keys.ts";
import { brokenLimits } from "./broken-limits.ts";
import { brokenReads } from "./broken-reads.ts";
import { brokenSettlements } from "./broken-settlements.ts";
import { brokenSchedules } from "./broken-schedules.ts";
import { brokenTransactions } from "./broken-transactions.ts";
import { brokenRaces } from "./broken-races.ts";

const caseMs = 3_000;
const seed = 1;

/** The first case that finds out, or undefined. */
const findKiller = async (
  breaker: Breaker,
  suites: readonly StateSuite[],
): Promise<string | undefined> => {
  for (const suite of suites) {
    for (const { title, run } of suite.cases) {
      const harness = {
        stateAdapter: breaker(createInProcessStateAdapter()),
        close: () => Promise.resolve(),
      };
      let failed = false;
      const running = runStateCase(run, harness, seed).catch(() => {
        failed = true;
      });
      const ended = await settlesWithin(running, caseMs);
      if (failed || !ended) return `${suite.name} > ${title}`;
    }
  }
  return undefined;
};

const broken: Breakers = {
  ...brokenCreation,
  ...brokenHolding,
  ...brokenSettlements,
  ...brokenTransactions,
  ...brokenReads,
  ...brokenSchedules,
  ...brokenLimits,
};

const methods = Object.keys(stateSuites) as StateAdapterMethod[]; // Its keys, and no others.

for (const method of methods) {
  describe(`the suites of ${method} find out that`, () => {
    for (const [name, breaker] of Object.entries(broken[method])) {
      it(name, { timeout: 60_000 }, async () => {
        expect(await findKiller(breaker, stateSuites[method])).toBeDefined();
      });
    }
  });
}

describe("the suites of limits by key find out that", () => {
  for (const [name, breaker] of Object.entries(brokenLimitKeys)) {
    it(name, { timeout: 60_000 }, async () => {
      expect(await findKiller(breaker, limitKeySuites)).toBeDefined();
    });
  }

  it("nothing is wrong with the store itself", async () => {
    expect(await findKiller((good) => good, limitKeySuites)).toBeUndefined();
  });
});

describe("the model test finds out that", () => {
  const foundBySeed = async (breaker: Breaker): Promise<boolean> => {
    const lists = fc.sample(arbitraryOperations(fc, 40), { numRuns: 60, seed });
    for (const operations of lists) {
      try {
        await playAgainstOracle(breaker(createInProcessStateAdapter()), operations);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return true;
      }
    }
    return false;
  };
  const inModel: Readonly<Record<string, Breaker | undefined>> = {
    "completion does not check the lease":
      broken.completeJobs["completion does not check the lease"],
    "deduplication is off": broken.createJobs["deduplication is off"],
    "one blocker is enough": broken.addBlockers["one blocker is enough"],
    "dependants of a failure are not failed":
      broken.failJobs["dependants of a failure are not failed"],
    "acquisition ignores priority and due time":
      broken.acquireJobs["acquisition ignores priority and due time"],
    "a rollback keeps the writes": broken.runInTransaction["a rollback keeps the writes"],
  };
  for (const [name, breaker] of Object.entries(inModel)) {
    it(name, { timeout: 120_000 }, async () => {
      if (breaker === undefined) throw new Error(`No breaker of this name: ${name}`);
      expect(await foundBySeed(breaker)).toBe(true);
    });
  }
});

describe("the races find out that", () => {
  for (const [name, breaker] of Object.entries(brokenRaces)) {
    it(name, { timeout: 120_000 }, async () => {
      expect(await findKiller(breaker, stateRaceSuites)).toBeDefined();
    });
  }
});

describe("a good store", () => {
  it("is not found out by the runner of these checks", { timeout: 60_000 }, async () => {
    expect(await findKiller((good) => good, stateSuites.completeJobs)).toBeUndefined();
  });
});
