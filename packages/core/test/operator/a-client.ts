import { createOperator, type Operator, type OperatorOptions } from "queuert/operator";
import { systemClock } from "../../src/async/clock.ts";
import { createQueuertWith } from "../../src/queuert.ts";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import type { WorkerBeat } from "../../src/adapters/operator-store.ts";
import { aBeat, aProcess } from "../../src/testing/operator/beat.suite.ts";
import { createStateSteps, type StateSteps } from "../../src/testing/steps.ts";
import { aStore, type TestStore } from "../in-process/a-store.ts";

export interface OperatedStore extends TestStore {
  readonly operator: Operator;
  readonly queuert: object;
  readonly steps: StateSteps;
  /** Reports a worker of these types. */
  readonly live: (typeNames: readonly string[], beat?: Partial<WorkerBeat>) => Promise<void>;
  /** Another operator of the same store. */
  readonly open: (options?: Partial<OperatorOptions>) => Operator;
}

/** An operator over a store whose time stands still. */
export const anOperator = async (
  options: Partial<OperatorOptions> = {},
): Promise<OperatedStore> => {
  const store = aStore();
  const queuert = await createQueuertWith(
    { stateAdapter: store.state, jobTypeDefinitions: defineUnionJobTypes<object>(), log: () => {} },
    { clock: { ...systemClock, now: () => store.clock.now() } },
  );
  const open = (more: Partial<OperatorOptions> = {}): Operator =>
    createOperator({ queuert, ...options, ...more });
  const live: OperatedStore["live"] = async (typeNames, beat) => {
    const types = typeNames.map((typeName) => ({ typeName, concurrency: null }));
    const worker = aBeat("live", { workerId: "worker-1", types, ...beat });
    await store.state.operator?.beat?.({
      process: aProcess(1),
      workers: [worker],
      forgetAfterMs: 1e9,
    });
  };
  return { ...store, operator: open(), queuert, steps: createStateSteps(store.state), live, open };
};
