import { onTestFailed } from "vitest";
import type { TestAPI } from "vitest";
import { chooseSeed, seededRandom } from "./random.ts";
import type { Random } from "./random.ts";

/** Fixtures that every suite has. */
export interface CommonTestContext {
  /** For everything random in the test; printed when it fails. Always 1, unless QUEUERT_SEED says otherwise. */
  readonly seed: number;
  readonly random: Random;
}

/** Gives tests their seed. Call it first, then the `extendWith…` of a state adapter and of a notify adapter. */
export const extendWithCommon = <TContext extends object>(
  it: TestAPI<TContext>,
): TestAPI<TContext & CommonTestContext> => {
  const extended = it.extend<CommonTestContext>({
    // Vitest reads the needs of a fixture from this pattern, so it has to be one, also when it is empty.
    // oxlint-disable-next-line no-empty-pattern
    seed: async ({}, use) => {
      const seed = chooseSeed();
      onTestFailed(() => {
        process.stderr.write(`Run again with QUEUERT_SEED=${seed}\n`);
      });
      await use(seed);
    },
    random: async ({ seed }: { seed: number }, use: (random: Random) => Promise<void>) => {
      await use(seededRandom(seed));
    },
  });
  // Vitest's own type of `extend` nests one intersection per call; this one is the same and stays readable.
  return extended as unknown as TestAPI<TContext & CommonTestContext>;
};
