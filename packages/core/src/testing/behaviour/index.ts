import { afterCommitSuite } from "./after-commit.suite.ts";
import { awaitingSuite } from "./awaiting.suite.ts";
import type { BehaviourSuite } from "./behaviour-suite.ts";
import { blockingSuite } from "./blocking.suite.ts";
import { brokenNotifySuite } from "./broken-notify.suite.ts";
import { cancellingSuite } from "./cancelling.suite.ts";
import { committingSuite } from "./committing.suite.ts";
import { continuingSuite } from "./continuing.suite.ts";
import { deduplicatingSuite } from "./deduplicating.suite.ts";
import { deletingSuite } from "./deleting.suite.ts";
import { externalCompletionSuite } from "./external-completion.suite.ts";
import { foreignMessagesSuite } from "./foreign-messages.suite.ts";
import { leasesSuite } from "./leases.suite.ts";
import { ownLeasesSuite } from "./own-leases.suite.ts";
import { pausingSuite } from "./pausing.suite.ts";
import { preparingSuite } from "./preparing.suite.ts";
import { processingOnceSuite } from "./processing-once.suite.ts";
import { processingSuite } from "./processing.suite.ts";
import { readingSuite } from "./reading.suite.ts";
import { retryingSuite } from "./retrying.suite.ts";
import { schedulingSuite } from "./scheduling.suite.ts";
import { startingSuite } from "./starting.suite.ts";
import { limitingSuite } from "./limiting.suite.ts";
import { notifyingSuite } from "./notifying.suite.ts";
import { observingSuite } from "./observing.suite.ts";
import { retainingSuite } from "./retaining.suite.ts";
import { stoppingSuite } from "./stopping.suite.ts";
import { workerCareSuite } from "./worker-care.suite.ts";
import { keepingSchedulesSuite } from "./keeping-schedules.suite.ts";
import { tickingSuite } from "./ticking.suite.ts";
import { transactingSuite } from "./transacting.suite.ts";
import { failingDatabaseSuite } from "./failing-database.suite.ts";

/** Every behaviour suite, in the order of the walk. */
export const behaviourSuites: Readonly<
  Record<
    | "starting"
    | "transacting"
    | "scheduling"
    | "deduplicating"
    | "ticking"
    | "keepingSchedules"
    | "continuing"
    | "blocking"
    | "preparing"
    | "processing"
    | "processingOnce"
    | "committing"
    | "afterCommit"
    | "retrying"
    | "leases"
    | "ownLeases"
    | "awaiting"
    | "externalCompletion"
    | "cancelling"
    | "pausing"
    | "deleting"
    | "retaining"
    | "notifying"
    | "brokenNotify"
    | "foreignMessages"
    | "observing"
    | "stopping"
    | "workerCare"
    | "failingDatabase"
    | "limiting"
    | "reading",
    BehaviourSuite
  >
> = {
  starting: startingSuite,
  transacting: transactingSuite,
  scheduling: schedulingSuite,
  deduplicating: deduplicatingSuite,
  ticking: tickingSuite,
  keepingSchedules: keepingSchedulesSuite,
  continuing: continuingSuite,
  blocking: blockingSuite,
  preparing: preparingSuite,
  processing: processingSuite,
  processingOnce: processingOnceSuite,
  committing: committingSuite,
  afterCommit: afterCommitSuite,
  retrying: retryingSuite,
  leases: leasesSuite,
  ownLeases: ownLeasesSuite,
  awaiting: awaitingSuite,
  externalCompletion: externalCompletionSuite,
  cancelling: cancellingSuite,
  deleting: deletingSuite,
  retaining: retainingSuite,
  pausing: pausingSuite,
  reading: readingSuite,
  notifying: notifyingSuite,
  brokenNotify: brokenNotifySuite,
  foreignMessages: foreignMessagesSuite,
  observing: observingSuite,
  stopping: stoppingSuite,
  workerCare: workerCareSuite,
  failingDatabase: failingDatabaseSuite,
  limiting: limitingSuite,
};
