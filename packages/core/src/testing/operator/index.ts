// Every method for operators has its suite here: one that is missing does not compile.
import { beginActionSuite } from "./begin-action.suite.ts";
import { finishActionSuite } from "./finish-action.suite.ts";
import { listActionsSuite } from "./list-actions.suite.ts";
import { beatSuite } from "./beat.suite.ts";
import { countAheadSuite } from "./count-ahead.suite.ts";
import { examineJobsSuite } from "./examine-jobs.suite.ts";
import { expireLeasesSuite } from "./expire-leases.suite.ts";
import { explainAndAcquireSuite } from "./explain-and-acquire.suite.ts";
import { listAttemptsSuite } from "./list-attempts.suite.ts";
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
  countAhead: countAheadSuite,
  listAttempts: listAttemptsSuite,
  beat: beatSuite,
  listWorkers: listWorkersSuite,
  beginAction: beginActionSuite,
  finishAction: finishActionSuite,
  listActions: listActionsSuite,
  expireLeases: expireLeasesSuite,
};

/** The methods for operators that a store has, and the agreement of `explain` with `acquireJobs`. */
export const operatorTestSuite = (options: OperatorTestSuiteOptions): void =>
  describeOperatorSuites(operatorSuites, [explainAndAcquireSuite], options);
