import { createOperator, type Operator, type OperatorOptions } from "queuert/operator";
import { createQueuertWith } from "../../src/queuert.ts";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import { createStateSteps, type StateSteps } from "../../src/testing/steps.ts";
import { aStore, type TestStore } from "../in-process/a-store.ts";

export interface OperatedStore extends TestStore {
  readonly operator: Operator;
  readonly queuert: object;
  readonly steps: StateSteps;
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
    {},
  );
  const open = (more: Partial<OperatorOptions> = {}): Operator =>
    createOperator({ queuert, ...options, ...more });
  return { ...store, operator: open(), queuert, steps: createStateSteps(store.state), open };
};
