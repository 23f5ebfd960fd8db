import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import { describeReason } from "../model/describe-error.ts";
import type { LogLevel } from "./log.ts";

type Line<TData> = readonly [LogLevel, (data: TData) => string];

const job = (data: { readonly id: string; readonly typeName: string }): string =>
  `job ${data.id} of type ${data.typeName}`;

const duration = (ms: number): string =>
  ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.round(ms / 100) / 10} s`;

/** One sentence: the attempt, the reason, and the consequence. */
const failedAttempt = (data: QueuertEventData["jobAttemptFailed"]): string => {
  const failed = `attempt ${data.attempt} of ${job(data)} failed (${describeReason(data.error)})`;
  if (!data.willRetry) return `${failed} and is the last`;
  const left =
    data.attemptsLeft === null ? "attempts are not limited" : `${data.attemptsLeft} left`;
  return data.retryAt === null
    ? `${failed}, ${left}`
    : `${failed}, ${left}, the next is due at ${data.retryAt.toISOString()}`;
};

const delayedStop = (data: QueuertEventData["workerStopDelayed"]): string => {
  const running = data.running.map(({ id, typeName, runningMs, isSignalled }) => {
    const signalled = isSignalled ? ", signal aborted" : "";
    return `${typeName} ${id} (${duration(runningMs)}${signalled})`;
  });
  const moreCount = data.runningCount - running.length;
  const jobs = running.length === 0 ? "its last statements" : running.join(", ");
  const more = moreCount > 0 ? ` and ${moreCount} more jobs` : "";
  return `worker ${data.workerId} has been stopping for ${duration(data.waitedMs)} and waits for ${jobs}${more}`;
};

const steppedClock = ({ workerId, stepMs }: QueuertEventData["storeClockStepped"]): string => {
  const [direction, consequence] =
    stepMs < 0
      ? ["back", "jobs and leases from before may wait until it has caught up"]
      : [
          "forward",
          "leases may have expired early (a suspended host of the worker looks the same)",
        ];
  return `the store's clock went ${direction} by ${duration(Math.abs(stepMs))} against that of worker ${workerId}: ${consequence}`;
};

const pausedTypes = (typeNames: readonly (string | null)[]): string =>
  typeNames.includes(null)
    ? "all job types were"
    : `job types ${typeNames.map((name) => `"${name}"`).join(", ")} were`;

/** The level and the sentence of every event. Exhaustive: a new event does not compile without its line. */
export const logLines: { readonly [TType in QueuertEventType]: Line<QueuertEventData[TType]> } = {
  workerStarted: ["info", ({ workerId }) => `worker ${workerId} started`],
  workerLacksConnections: [
    "warn",
    ({ workerId, concurrency, connectionsMax }) =>
      `worker ${workerId} runs up to ${concurrency} jobs at a time on ${connectionsMax} connections, ` +
      "so that completions by callback wait for each other: enlarge the pool or lower the concurrency",
  ],
  storeClockStepped: ["warn", steppedClock],
  workerError: [
    "error",
    ({ workerId, operation, error }) =>
      `worker ${workerId} could not ${operation}: ${describeReason(error)}`,
  ],
  workerStopping: ["info", ({ workerId }) => `worker ${workerId} is stopping`],
  workerStopDelayed: ["warn", delayedStop],
  workerStopped: ["info", ({ workerId }) => `worker ${workerId} stopped`],
  jobCreated: ["debug", (data) => `${job(data)} created`],
  jobAttemptStarted: ["debug", (data) => `attempt ${data.attempt} of ${job(data)} started`],
  jobAttemptTakenByAnotherWorker: [
    "warn",
    (data) => `${job(data)} was acquired by another worker during attempt ${data.attempt}`,
  ],
  jobAttemptAlreadyCompleted: [
    "warn",
    (data) => `${job(data)} was finished elsewhere during attempt ${data.attempt}`,
  ],
  jobAttemptCancelled: [
    "info",
    (data) => `${job(data)} was cancelled during attempt ${data.attempt}`,
  ],
  jobAttemptNotFound: ["warn", (data) => `${job(data)} was deleted during attempt ${data.attempt}`],
  jobAttemptLeaseExpired: [
    "warn",
    (data) => `the lease of ${job(data)} expired during attempt ${data.attempt}`,
  ],
  jobAttemptLeaseRenewed: ["debug", (data) => `the lease of ${job(data)} was renewed`],
  jobAttemptFailed: ["warn", failedAttempt],
  jobAttemptRescheduled: [
    "debug",
    (data) => `${job(data)} asked to be run again at ${data.scheduledAt.toISOString()}`,
  ],
  jobAttemptCompleted: ["debug", (data) => `attempt ${data.attempt} of ${job(data)} completed`],
  jobHandedBack: ["debug", (data) => `${job(data)} was handed back before it began`],
  jobCompleted: ["info", (data) => `${job(data)} completed`],
  jobFailed: ["error", (data) => `${job(data)} failed, because ${data.reason}`],
  jobCancelled: [
    "info",
    (data) => `${job(data)} was cancelled${data.reason === null ? "" : `: ${data.reason}`}`,
  ],
  jobRetried: ["info", (data) => `${job(data)} is due again after its failure`],
  jobReaped: [
    "warn",
    (data) => `${job(data)} was reclaimed from worker ${data.leasedBy}, whose lease had expired`,
  ],
  jobBlocked: ["debug", (data) => `${job(data)} waits for its blockers`],
  jobUnblocked: ["debug", (data) => `${job(data)} is no longer blocked`],
  jobTypesPaused: [
    "info",
    ({ typeNames, note }) => `${pausedTypes(typeNames)} paused${note === null ? "" : `: ${note}`}`,
  ],
  jobTypesResumed: ["info", ({ typeNames }) => `${pausedTypes(typeNames)} resumed`],
  jobTypeNotImplemented: [
    "warn",
    ({ typeName, nearTypeNames }) =>
      `a job of type "${typeName}" was started, which no worker of this client implements: ` +
      `did you mean ${nearTypeNames.map((name) => `"${name}"`).join(" or ")}?`,
  ],
  jobSequenceCreated: ["debug", ({ sequenceId }) => `sequence ${sequenceId} created`],
  jobSequenceDeduplicated: [
    "debug",
    ({ sequenceId }) => `sequence ${sequenceId} has the deduplication key already`,
  ],
  jobSequenceCompleted: ["info", ({ sequenceId }) => `sequence ${sequenceId} completed`],
  jobSequenceFailed: ["error", ({ sequenceId }) => `sequence ${sequenceId} failed`],
  jobSequencesDeleted: ["info", ({ jobCount }) => `${jobCount} jobs were deleted`],
  scheduleTicked: [
    "debug",
    ({ schedule, tickAt, outcome }) =>
      `schedule "${schedule}": the tick of ${tickAt.toISOString()} was ${outcome}`,
  ],
  scheduleFailed: [
    "error",
    ({ schedule, error, retryInMs }) =>
      `schedule "${schedule}" could not be fired and is tried again in ${duration(retryInMs)}: ${describeReason(error)}`,
  ],
  notifyContextAbsence: [
    "debug",
    ({ operation }) =>
      `${operation} ran outside \`withNotify\` and \`transaction\`, so that workers find its jobs a little later`,
  ],
  notifyAdapterError: [
    "warn",
    ({ operation, error }) =>
      `notify adapter: ${operation} failed (${describeReason(error)}), and polling covers for it`,
  ],
  stateAdapterError: [
    "error",
    ({ operation, error }) => `state adapter: ${operation} failed: ${describeReason(error)}`,
  ],
  jobHeldTransaction: [
    "warn",
    (data) => `${job(data)} has kept a transaction open for ${duration(data.heldMs)}`,
  ],
};
