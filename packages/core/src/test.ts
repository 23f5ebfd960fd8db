// `queuert/test`: the kit for the tests of an application. It needs no test runner.
export { createTestQueuert } from "./test-kit/create-test-queuert.ts";
export type * from "./test-kit/test-queuert.ts";
export type { Duration } from "./test-kit/duration.ts";
export * from "./test-kit/errors.ts";
export {
  assertNotStarted,
  assertStarted,
  type QueuertMatchers,
  queuertMatchers,
  type StartedReader,
} from "./test-kit/expectations.ts";
export type { FaultOptions, FaultyMethod } from "./test-kit/faults.ts";
export type { TestAttempt, TestOutcome } from "./test-kit/journal.ts";
export type { ExpectedStart, StartedSequence } from "./test-kit/started.ts";
export type { WaitingJob } from "./test-kit/waiting.ts";
export type { TimeTravel } from "./adapters/time-travel.ts";
