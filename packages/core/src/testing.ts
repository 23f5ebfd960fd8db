// `queuert/testing`: the suites that an adapter author runs. They need Vitest, and fast-check for the model test.
export * from "./testing/behaviour/behaviour-case.ts";
export * from "./testing/behaviour/behaviour-suite.ts";
export * from "./testing/behaviour/describe-behaviour.ts";
export * from "./testing/behaviour/gaps.ts";
export * from "./testing/behaviour/user-rows.ts";
export * from "./testing/describe-notify-adapter.ts";
export * from "./testing/describe-state-adapter.ts";
export * from "./testing/extend-with-common.ts";
export * from "./testing/extend-with-state.ts";
export * from "./testing/extend-with-notify.ts";
export * from "./testing/extend-with-state-in-process.ts";
export * from "./testing/factories.ts";
export * from "./testing/faults.ts";
export * from "./testing/leaks.ts";
export * from "./testing/model.suite.ts";
export * from "./testing/notify-faults.ts";
export * from "./testing/notify-harness.ts";
export * from "./testing/open-transaction.ts";
export * from "./testing/race.ts";
export * from "./testing/random.ts";
export * from "./testing/state-harness.ts";
export * from "./testing/state-suite.ts";
export * from "./testing/steps.ts";
export * from "./testing/suite.ts";
export type * from "./testing/test-suite-context.ts";
export * from "./testing/waiting.ts";
export {
  limitKeyRaceSuites,
  limitKeySuites,
  stateRaceSuites,
  stateSuites,
} from "./testing/state/index.ts";
export { behaviourSuites } from "./testing/behaviour/index.ts";
export { operatorSuites, operatorTestSuite } from "./testing/operator/index.ts";
export type {
  OperatorMethod,
  OperatorTestSuiteOptions,
} from "./testing/operator/operator-suite.ts";
export {
  type TestKitStore,
  testKitSuite,
  type TestKitSuiteOptions,
} from "./testing/test-kit/test-kit.suite.ts";
