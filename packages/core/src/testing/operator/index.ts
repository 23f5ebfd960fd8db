// Every method for operators has its suite here: one that is missing does not compile.
import { appendLogsSuite } from "./append-logs.suite.ts";
import { beginActionSuite } from "./begin-action.suite.ts";
import { finishActionSuite } from "./finish-action.suite.ts";
import { listActionsSuite } from "./list-actions.suite.ts";
import { beatSuite } from "./beat.suite.ts";
import { checkHealthSuite } from "./check-health.suite.ts";
import { countAheadSuite } from "./count-ahead.suite.ts";
import { countJobsSuite } from "./count-jobs.suite.ts";
import { findIdsSuite } from "./find-ids.suite.ts";
import { findLocksSuite } from "./find-locks.suite.ts";
import { listDependantsSuite } from "./list-dependants.suite.ts";
import { examineJobsSuite } from "./examine-jobs.suite.ts";
import { expireLeasesSuite } from "./expire-leases.suite.ts";
import { findKeysSuite } from "./find-keys.suite.ts";
import { explainAndAcquireSuite } from "./explain-and-acquire.suite.ts";
import { listAttemptsSuite } from "./list-attempts.suite.ts";
import { listLimitKeysSuite } from "./list-limit-keys.suite.ts";
import { listLogsSuite } from "./list-logs.suite.ts";
import { listMetricsSuite } from "./list-metrics.suite.ts";
import { listNextSuite } from "./list-next.suite.ts";
import { listProgressSuite } from "./list-progress.suite.ts";
import { planAndApplySuite } from "./plan-and-apply.suite.ts";
import { recordMetricsSuite } from "./record-metrics.suite.ts";
import { listWorkersSuite } from "./list-workers.suite.ts";
import {
  describeOperatorSuites,
  type OperatorMethod,
  type OperatorSuite,
  type OperatorTestSuiteOptions,
} from "./operator-suite.ts";
import { readClockSuite } from "./read-clock.suite.ts";

/** The suites of each method. */
export const operatorSuites: Readonly<Record<OperatorMethod, OperatorSuite>> = {
  readClock: readClockSuite,
  examineJobs: examineJobsSuite,
  countJobs: countJobsSuite,
  findIds: findIdsSuite,
  listDependants: listDependantsSuite,
  findLocks: findLocksSuite,
  checkHealth: checkHealthSuite,
  countAhead: countAheadSuite,
  listNext: listNextSuite,
  findKeys: findKeysSuite,
  listAttempts: listAttemptsSuite,
  appendLogs: appendLogsSuite,
  listLogs: listLogsSuite,
  listProgress: listProgressSuite,
  beat: beatSuite,
  listWorkers: listWorkersSuite,
  recordMetrics: recordMetricsSuite,
  listMetrics: listMetricsSuite,
  beginAction: beginActionSuite,
  finishAction: finishActionSuite,
  listActions: listActionsSuite,
  listLimitKeys: listLimitKeysSuite,
  expireLeases: expireLeasesSuite,
};

/** The methods for operators that a store has, the agreement of `explain` with `acquireJobs`, and plans beside workers. */
export const operatorTestSuite = (options: OperatorTestSuiteOptions): void =>
  describeOperatorSuites(operatorSuites, [explainAndAcquireSuite, planAndApplySuite], options);
