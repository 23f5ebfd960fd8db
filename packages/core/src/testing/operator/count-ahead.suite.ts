import { expect } from "vitest";
import type { JobsAhead } from "../../adapters/operator-reads.ts";
import { minuteMs } from "../factories.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

const countAhead = async (
  { operator }: OperatorCaseContext,
  jobs: readonly { readonly id: string }[],
  max = 100,
): Promise<readonly (JobsAhead | undefined)[]> =>
  operator.countAhead({ ids: jobs.map(({ id }) => id), max });

export const countAheadSuite: OperatorSuite = defineOperatorSuite("countAhead", (rule) => {
  rule(
    "How many due jobs of its type come before each job, in the order of acquisition.",
    async (test) => {
      const { steps } = test;
      const later = await steps.createOne({ schedule: { afterMs: minuteMs } });
      const third = await steps.createOne();
      const fourth = await steps.createOne();
      await steps.createOne({ typeName: "other", priority: 9 });
      const first = await steps.createOne({ priority: 5 });
      const last = await steps.createOne({ priority: -1 });
      const second = await steps.createOne({ schedule: { at: new Date(0) } });
      const jobs = [first, second, third, fourth, last];
      const counts = await countAhead(test, jobs);
      expect(counts.map((each) => [each?.ahead, each?.higherPriority])).toEqual([
        [0, 0],
        [1, 1],
        [2, 1],
        [3, 1],
        [4, 4],
      ]);
      expect(counts.map((each) => each?.isAtLeast)).toEqual(jobs.map(() => false));
      // Jobs that are not due are not before it, and those that are due are.
      expect((await countAhead(test, [later]))[0]).toMatchObject({ ahead: 4, higherPriority: 1 });
      const acquired = await steps.acquire({ limit: 5 });
      expect(acquired.map(({ job }) => job.id)).toEqual(jobs.map(({ id }) => id));
    },
  );

  rule("Counting stops at `max`, and then `isAtLeast` is true.", async (test) => {
    const { steps } = test;
    const jobs = await steps.create({ priority: 1 }, { priority: 1 }, {}, {}, {});
    const last = jobs.slice(-1);
    expect(await countAhead(test, last, 4)).toEqual([
      { ahead: 4, higherPriority: 2, isAtLeast: false },
    ]);
    expect((await countAhead(test, last, 3))[0]).toMatchObject({ ahead: 3, isAtLeast: true });
    expect((await countAhead(test, last, 1))[0]).toMatchObject({ ahead: 1, isAtLeast: true });
  });

  rule("Undefined for a job that is not pending, or does not exist.", async (test) => {
    const { steps } = test;
    const running = await steps.createRunning();
    const pending = await steps.createOne({ typeName: "pending" });
    const absent = { id: await steps.absentId() };
    const counts = await countAhead(test, [running, pending, absent]);
    expect(counts).toEqual([
      undefined,
      { ahead: 0, higherPriority: 0, isAtLeast: false },
      undefined,
    ]);
    expect(await countAhead(test, [])).toEqual([]);
  });
});
