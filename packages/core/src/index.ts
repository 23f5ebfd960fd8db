// The public API, in the order of the walk.
export { createQueuert, type QueuertOptions } from "./queuert.ts";
export type * from "./queuert-types.ts";

// define
export {
  defineCodedJobTypes,
  defineUnionJobTypes,
  type JobTypeDefinitionsOf,
  type JobTypes,
} from "./job-types/define-job-types.ts";
export type * from "./job-types/markers.ts";
export type * from "./public-types/types-of-definitions.ts";
export type * from "./job-types/standard-schema.ts";
export { defineUpcast, type Upcast } from "./job-types/upcast.ts";

export { defineSchedules } from "./schedules/define-schedules.ts";

// start, work, wait
export { rescheduleJob } from "./lifecycle/request-reschedule.ts";
export { throwIfAborted } from "./lifecycle/throw-if-aborted.ts";
export type { ScheduleOptions } from "./model/schedule.ts";

// entities
export type {
  BlockedJob,
  CancelledJob,
  CompletedJob,
  CreatedJob,
  FailedJob,
  Job,
  JobWithoutBlockers,
  PendingJob,
  RunningJob,
} from "./model/job.ts";
export type {
  CancelledJobSequence,
  CompletedJobSequence,
  EndedJobSequence,
  FailedJobSequence,
  JobSequence,
  JobSequenceStatus,
} from "./model/sequence.ts";
export type { JobTick, TickKind, TickOutcome } from "./model/tick.ts";
export type { Page, PageOrder } from "./model/page.ts";
export { type JobStatus, jobStatuses } from "./model/status.ts";
export type * from "./public-types/explanation.ts";
export type * from "./public-types/attempt-log.ts";

// payloads
export { compress, type CompressOptions } from "./payloads/compress.ts";
export { encrypt, type EncryptionKeys, type EncryptOptions } from "./payloads/encrypt.ts";
export { type BlobStore, offload, type OffloadOptions } from "./payloads/offload.ts";
export type { PayloadCodec } from "./model/payload.ts";
export type { PayloadsOptions } from "./payloads/payloads-options.ts";
export { richJson } from "./payloads/rich-json.ts";
export type { PayloadTransform, TransformedText } from "./payloads/transform.ts";

// observe
export { createConsoleLog } from "./observe/console-log.ts";
export type { Log, LogEvent, LogLevel } from "./observe/log.ts";

// adapters
export { createInProcessStateAdapter } from "./in-process/create-in-process-state-adapter.ts";
export { createInProcessNotifyAdapter } from "./in-process/create-in-process-notify-adapter.ts";
export { createNoopNotifyAdapter } from "./in-process/create-noop-notify-adapter.ts";
export type * from "./adapters/state-adapter.ts";
export type * from "./adapters/state-adapter-params.ts";
export type * from "./adapters/state-adapter-updates.ts";
export type * from "./adapters/state-adapter-queries.ts";
export type * from "./adapters/limit-key-store.ts";
export type * from "./adapters/state-adapter-limits.ts";
export type * from "./adapters/operator-store.ts";
export type * from "./adapters/operator-logs.ts";
export type * from "./adapters/job-condition.ts";
export type * from "./adapters/state-adapter-schedules.ts";
export type * from "./adapters/notify-adapter.ts";
export type * from "./adapters/observability-adapter.ts";
export type * from "./adapters/events.ts";
export type { StateDeduplication } from "./model/deduplication.ts";
export type { OnBlockerFailure, StateJob, StateSequence } from "./model/state-job.ts";

export * from "./errors.ts";
