import type { QueuertEventData, QueuertEventType } from "../adapters/events.ts";
import type { LogLevel } from "./log.ts";

type Line<TData> = readonly [LogLevel, (data: TData) => string];

const job = (data: { readonly id: string; readonly typeName: string }): string =>
  `job ${data.id} of type ${data.typeName}`;

/** The level and the sentence of every event. Exhaustive: a new event does not compile without its line. */
export const logLines: { readonly [TType in QueuertEventType]: Line<QueuertEventData[TType]> } = {
  workerStarted: ["info", ({ workerId }) => `worker ${workerId} started`],
  workerLacksConnections: [
    "warn",
    ({ workerId, concurrency, connectionsMax }) =>
      `worker ${workerId} runs up to ${concurrency} jobs at a time on ${connectionsMax} connections: ` +
      "completions by callback wait for each other; give the pool more, or the worker less concurrency",
  ],
  workerError: [
    "error",
    ({ workerId, operation }) => `worker ${workerId} could not ${operation}; it goes on`,
  ],
  workerStopping: ["info", ({ workerId }) => `worker ${workerId} is stopping`],
  workerStopped: ["info", ({ workerId }) => `worker ${workerId} stopped`],
  jobCreated: ["debug", (data) => `${job(data)} created`],
  jobAttemptStarted: ["debug", (data) => `attempt ${data.attempt} of ${job(data)} started`],
  jobAttemptTakenByAnotherWorker: [
    "warn",
    (data) => `${job(data)} was taken by another worker during attempt ${data.attempt}`,
  ],
  jobAttemptAlreadyCompleted: [
    "warn",
    (data) => `${job(data)} was finished by somebody else during attempt ${data.attempt}`,
  ],
  jobAttemptNotFound: ["warn", (data) => `${job(data)} was deleted during attempt ${data.attempt}`],
  jobAttemptLeaseExpired: [
    "warn",
    (data) => `the lease of ${job(data)} ran out before it could be renewed`,
  ],
  jobAttemptLeaseRenewed: ["debug", (data) => `the lease of ${job(data)} was renewed`],
  jobAttemptFailed: [
    "warn",
    (data) =>
      `attempt ${data.attempt} of ${job(data)} failed` +
      (data.willRetry ? "; it will be tried again" : " for good"),
  ],
  jobAttemptRescheduled: ["debug", (data) => `${job(data)} asked to be run again later`],
  jobAttemptCompleted: ["debug", (data) => `attempt ${data.attempt} of ${job(data)} completed`],
  jobHandedBack: ["debug", (data) => `${job(data)} was handed back before it began`],
  jobCompleted: ["info", (data) => `${job(data)} completed`],
  jobFailed: ["error", (data) => `${job(data)} failed for good`],
  jobRetried: ["info", (data) => `${job(data)} is tried again after its failure`],
  jobReaped: ["warn", (data) => `${job(data)} was taken back from ${data.leasedBy}: lease expired`],
  jobBlocked: ["debug", (data) => `${job(data)} waits for its blockers`],
  jobUnblocked: ["debug", (data) => `${job(data)} waits no more`],
  jobSequenceCreated: ["debug", ({ sequenceId }) => `sequence ${sequenceId} created`],
  jobSequenceDeduplicated: [
    "debug",
    ({ sequenceId }) => `sequence ${sequenceId} stands for the key already`,
  ],
  jobSequenceCompleted: ["info", ({ sequenceId }) => `sequence ${sequenceId} completed`],
  jobSequenceFailed: ["error", ({ sequenceId }) => `sequence ${sequenceId} failed`],
  jobSequencesDeleted: ["info", ({ jobCount }) => `${jobCount} jobs were deleted`],
  notifyContextAbsence: [
    "debug",
    ({ operation }) =>
      `${operation} ran outside \`withNotify\` and \`transaction\`; workers find the work a little later`,
  ],
  notifyAdapterError: [
    "warn",
    ({ operation }) => `notify adapter: ${operation} failed; polling covers for it`,
  ],
  stateAdapterError: ["error", ({ operation }) => `state adapter: ${operation} failed`],
  jobHeldTransaction: [
    "warn",
    (data) => `${job(data)} has kept a transaction open for ${Math.round(data.heldMs)} ms`,
  ],
};
