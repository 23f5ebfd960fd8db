// The model test: random operations on the in-process store, which is the oracle, and on the store under test. Every
// answer must be the same, and so must everything that is stored in the end.
import { describe, expect } from "vitest";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { createInProcessStateAdapter } from "../in-process/create-in-process-state-adapter.ts";
import type { StateSuiteFixtures } from "./describe-state-adapter.ts";
import { arbitraryOperations } from "./model/arbitraries.ts";
import type { ModelOperation } from "./model/operations.ts";
import { createModelPlayer, type ModelPlayerOptions } from "./model/player.ts";
import type { StateAdapterHarness } from "./state-harness.ts";
import type { SuiteIt } from "./suite.ts";

export interface StateModelTestSuiteOptions {
  readonly it: SuiteIt<StateSuiteFixtures>;
  /** How many lists of operations; left out: 50. */
  readonly runs?: number | undefined;
  /** How long a list may be; left out: 40. */
  readonly operationsMax?: number | undefined;
  /** How long to go on, shrinking included; left out: 60 s. */
  readonly timeLimitMs?: number | undefined;
}

let runCount = 0;

/** Runs one list on both stores and compares, step by step. */
export const playAgainstOracle = async (
  underTest: AnyStateAdapter,
  operations: readonly ModelOperation[],
  options?: ModelPlayerOptions,
): Promise<void> => {
  // A store that is not emptied as a whole keeps the bounds of earlier runs.
  const limitName = underTest.limitKeys === undefined ? null : `model ${runCount++}`;
  const oracle = createModelPlayer(createInProcessStateAdapter(), { limitName });
  const player = createModelPlayer(underTest, { ...options, limitName });
  for (const [index, operation] of operations.entries()) {
    const expected = await oracle.play(operation);
    expect(await player.play(operation), `operation ${index}: ${operation.kind}`).toEqual(expected);
  }
  expect(await player.lookAtEverything(), "in the end").toEqual(await oracle.lookAtEverything());
};

const empty = async ({ clear, stateAdapter }: StateAdapterHarness): Promise<void> => {
  if (clear !== undefined) return clear();
  const all = await stateAdapter.listJobs({
    order: "asc",
    limit: 1_000,
    afterOrdinal: null,
    typeNames: null,
    statuses: null,
    sequenceId: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
  });
  const rootSequenceIds = [...new Set(all.map((job) => job.rootSequenceId))];
  const result = await stateAdapter.runInTransaction((context) =>
    stateAdapter.deleteSequences({ context, rootSequenceIds }),
  );
  expect(result, "every tree at once can be deleted").toMatchObject({ kind: "deleted" });
};

const defaultRuns = 50;
const defaultOperationsMax = 40;
const defaultTimeLimitMs = 60_000;

/** Registers the model test. It needs `fast-check`, an optional peer of this package. */
export const stateModelTestSuite = ({
  it,
  runs = defaultRuns,
  operationsMax = defaultOperationsMax,
  timeLimitMs = defaultTimeLimitMs,
}: StateModelTestSuiteOptions): void => {
  describe("model", () => {
    it(
      "random operations have the same outcome as on the in-process store",
      async ({ stateHarness, seed }) => {
        const fc = await import("fast-check");
        const property = fc.asyncProperty(
          arbitraryOperations(fc, operationsMax),
          async (operations) => {
            await empty(stateHarness);
            await playAgainstOracle(stateHarness.stateAdapter, operations, stateHarness);
          },
        );
        // Reports the seed, the path and the shortest list it found.
        await fc.assert(property, { seed, numRuns: runs, interruptAfterTimeLimit: timeLimitMs });
      },
      2 * timeLimitMs,
    );
  });
};
