import { expect } from "vitest";
import type { BeatParams, ProcessIdentity, WorkerBeat } from "../../adapters/operator-store.ts";
import { minuteMs } from "../factories.ts";
import {
  defineOperatorSuite,
  type OperatorCaseContext,
  type OperatorSuite,
} from "./operator-suite.ts";

export const aProcess = (pid: number): ProcessIdentity => ({
  host: "host-1",
  pid,
  machine: "machine-1",
  processStart: `start ${pid}`,
});

export const aBeat = (instanceId: string, overrides: Partial<WorkerBeat> = {}): WorkerBeat => ({
  instanceId,
  workerId: `worker of ${instanceId}`,
  state: "running",
  types: [
    { typeName: "task", concurrency: null },
    { typeName: 'odd "name" 🙂', concurrency: 2 },
    { typeName: "together", concurrency: null, batch: { minSize: 5, maxWaitMs: 1_500 } },
  ],
  concurrency: 10,
  busy: 3,
  beatMs: minuteMs,
  libraryVersion: "1.2.3",
  ...overrides,
});

const dayMs = 24 * 60 * minuteMs;

const beat = (
  { operator }: Pick<OperatorCaseContext, "operator">,
  pid: number,
  workers: readonly WorkerBeat[],
  others: Partial<BeatParams> = {},
): Promise<{ readonly processCount: number }> =>
  operator.beat({ process: aProcess(pid), workers, forgetAfterMs: dayMs, ...others });

export const beatSuite: OperatorSuite = defineOperatorSuite("beat", (rule) => {
  rule("A known worker keeps its `startedAt`. `beatAt` is the store's clock.", async (test) => {
    const { operator, steps } = test;
    await beat(test, 1, [aBeat("a"), aBeat("b", { busy: 0 })]);
    const first = await operator.listWorkers();
    expect(first.map(({ instanceId }) => instanceId).sort()).toEqual(["a", "b"]);
    const [known] = first;
    if (known === undefined) throw new Error("No worker is stored");
    await steps.untilStoreTime(known.beatAt);
    const changed = aBeat("a", { busy: 7, state: "stopping", types: [], libraryVersion: null });
    await beat(test, 1, [changed]);
    const [again, other] = await operator.listWorkers();
    expect(again).toEqual({
      ...aProcess(1),
      ...changed,
      startedAt: known.startedAt,
      beatAt: again?.beatAt,
    });
    expect(again?.beatAt.getTime()).toBeGreaterThan(known.beatAt.getTime());
    expect(other).toMatchObject({ instanceId: "b", busy: 0, types: aBeat("b").types });
  });

  rule("Removes workers whose last report is older than `forgetAfterMs`.", async (test) => {
    const { operator, steps } = test;
    await beat(test, 1, [aBeat("old")]);
    const [{ beatAt } = { beatAt: new Date(0) }] = await operator.listWorkers();
    await steps.untilStoreTime(new Date(beatAt.getTime() + 20));
    await beat(test, 2, [aBeat("new")], { forgetAfterMs: 10 });
    expect((await operator.listWorkers()).map(({ instanceId }) => instanceId)).toEqual(["new"]);
  });

  rule(
    "Returns the number of processes with a worker that is not stopped and reported within 2.5 times its `beatMs`.",
    async (test) => {
      const { operator, steps } = test;
      expect(await beat(test, 1, [aBeat("a"), aBeat("b")])).toEqual({ processCount: 1 });
      expect(await beat(test, 2, [aBeat("c")])).toEqual({ processCount: 2 });
      expect(await beat(test, 2, [aBeat("c", { state: "stopped" })])).toEqual({ processCount: 1 });
      await beat(test, 3, [aBeat("late", { beatMs: 4 })]);
      const late = (await operator.listWorkers()).find(({ instanceId }) => instanceId === "late");
      await steps.untilStoreTime(new Date((late?.beatAt.getTime() ?? 0) + 20));
      expect(await beat(test, 1, [])).toEqual({ processCount: 1 });
    },
  );

  rule("200 processes beat at once, and none is lost.", async (test) => {
    const pids = Array.from({ length: 200 }, (_, index) => index);
    await Promise.all(pids.map((pid) => beat(test, pid, [aBeat(`worker ${pid}`)])));
    expect(await test.operator.listWorkers()).toHaveLength(200);
    expect(await beat(test, 0, [])).toEqual({ processCount: 200 });
  });
});
