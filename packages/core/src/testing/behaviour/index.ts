import { afterCommitSuite } from "./after-commit.suite.ts";
import { awaitingSuite } from "./awaiting.suite.ts";
import { batchingSuite } from "./batching.suite.ts";
import type { BehaviourSuite } from "./behaviour-suite.ts";
import { blockingSuite } from "./blocking.suite.ts";
import { brokenNotifySuite } from "./broken-notify.suite.ts";
import { signallingSuite } from "./signalling.suite.ts";
import { limitedWaitsSuite } from "./limited-waits.suite.ts";
import { signallingAtOnceSuite } from "./signalling-at-once.suite.ts";
import { cancellingSuite } from "./cancelling.suite.ts";
import { codingSuite } from "./coding.suite.ts";
import { committingSuite } from "./committing.suite.ts";
import { continuingSuite } from "./continuing.suite.ts";
import { debouncingSuite } from "./debouncing.suite.ts";
import { deduplicatingSuite } from "./deduplicating.suite.ts";
import { givingIdsSuite } from "./giving-ids.suite.ts";
import { deletingSuite } from "./deleting.suite.ts";
import { externalCompletionSuite } from "./external-completion.suite.ts";
import { foreignMessagesSuite } from "./foreign-messages.suite.ts";
import { leasesSuite } from "./leases.suite.ts";
import { overlappingSuite } from "./overlapping.suite.ts";
import { ownLeasesSuite } from "./own-leases.suite.ts";
import { pausingSuite } from "./pausing.suite.ts";
import { preparingSuite } from "./preparing.suite.ts";
import { processingOnceSuite } from "./processing-once.suite.ts";
import { loggingSuite } from "./logging.suite.ts";
import { processingSuite } from "./processing.suite.ts";
import { readingSuite } from "./reading.suite.ts";
import { retryingSuite } from "./retrying.suite.ts";
import { schedulingSuite } from "./scheduling.suite.ts";
import { startingSuite } from "./starting.suite.ts";
import { keysRefusedSuite } from "./keys-refused.suite.ts";
import { limitsOfKeysSuite } from "./limits-of-keys.suite.ts";
import { limitsOfTypesSuite } from "./limits-of-types.suite.ts";
import { limitingSuite } from "./limiting.suite.ts";
import { notifyingSuite } from "./notifying.suite.ts";
import { observingSuite } from "./observing.suite.ts";
import { retainingSuite } from "./retaining.suite.ts";
import { stoppingSuite } from "./stopping.suite.ts";
import { workerCareSuite } from "./worker-care.suite.ts";
import { keepingSchedulesSuite } from "./keeping-schedules.suite.ts";
import { tickingOnceSuite } from "./ticking-once.suite.ts";
import { tickingSuite } from "./ticking.suite.ts";
import { transformingSuite } from "./transforming.suite.ts";
import { versioningSuite } from "./versioning.suite.ts";
import { transactingSuite } from "./transacting.suite.ts";
import { wrappingSuite } from "./wrapping.suite.ts";
import { failingDatabaseSuite } from "./failing-database.suite.ts";

/** Every behaviour suite, in the order of the walk. */
export const behaviourSuites: Readonly<
  Record<
    | "starting"
    | "transacting"
    | "scheduling"
    | "deduplicating"
    | "debouncing"
    | "givingIds"
    | "ticking"
    | "overlapping"
    | "keepingSchedules"
    | "continuing"
    | "blocking"
    | "preparing"
    | "processing"
    | "processingOnce"
    | "tickingOnce"
    | "batching"
    | "wrapping"
    | "committing"
    | "afterCommit"
    | "logging"
    | "retrying"
    | "leases"
    | "ownLeases"
    | "awaiting"
    | "externalCompletion"
    | "signalling"
    | "signallingAtOnce"
    | "limitedWaits"
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
    | "limitsOfTypes"
    | "limitsOfKeys"
    | "keysRefused"
    | "reading"
    | "coding"
    | "transforming"
    | "versioning",
    BehaviourSuite
  >
> = {
  starting: startingSuite,
  transacting: transactingSuite,
  scheduling: schedulingSuite,
  deduplicating: deduplicatingSuite,
  debouncing: debouncingSuite,
  givingIds: givingIdsSuite,
  ticking: tickingSuite,
  overlapping: overlappingSuite,
  keepingSchedules: keepingSchedulesSuite,
  continuing: continuingSuite,
  blocking: blockingSuite,
  preparing: preparingSuite,
  processing: processingSuite,
  processingOnce: processingOnceSuite,
  tickingOnce: tickingOnceSuite,
  batching: batchingSuite,
  wrapping: wrappingSuite,
  committing: committingSuite,
  afterCommit: afterCommitSuite,
  logging: loggingSuite,
  retrying: retryingSuite,
  leases: leasesSuite,
  ownLeases: ownLeasesSuite,
  awaiting: awaitingSuite,
  externalCompletion: externalCompletionSuite,
  signalling: signallingSuite,
  signallingAtOnce: signallingAtOnceSuite,
  limitedWaits: limitedWaitsSuite,
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
  versioning: versioningSuite,
  coding: codingSuite,
  transforming: transformingSuite,
  limitsOfTypes: limitsOfTypesSuite,
  limitsOfKeys: limitsOfKeysSuite,
  keysRefused: keysRefusedSuite,
};
