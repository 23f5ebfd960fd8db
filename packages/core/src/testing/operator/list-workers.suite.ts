import { expect } from "vitest";
import { aBeat, aProcess } from "./beat.suite.ts";
import { defineOperatorSuite, type OperatorSuite } from "./operator-suite.ts";

export const listWorkersSuite: OperatorSuite = defineOperatorSuite("listWorkers", (rule) => {
  rule("All workers that are stored, the newest report first.", async ({ operator, steps }) => {
    expect(await operator.listWorkers()).toEqual([]);
    const forgetAfterMs = 1e9;
    for (const id of ["a", "b"]) {
      const process = { ...aProcess(1), machine: null, processStart: null };
      await operator.beat({ process, workers: [aBeat(id)], forgetAfterMs });
      const [newest] = await operator.listWorkers();
      expect(newest).toMatchObject({ instanceId: id, machine: null, processStart: null });
      await steps.untilStoreTime(newest?.beatAt ?? new Date());
    }
    const workers = await operator.listWorkers();
    expect(workers.map(({ instanceId }) => instanceId)).toEqual(["b", "a"]);
  });
});
