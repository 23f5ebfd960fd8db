// For authors of adapters: the parts that the adapters of this repository share. Semantic versioning does not cover them as
// it covers `queuert`: pin the same minor version.
export { createAsyncLock, type AsyncLock } from "./async/async-lock.ts";
export { type Clock, systemClock, type TimerHandle } from "./async/clock.ts";
export { createDeferred, type Deferred } from "./async/deferred.ts";
export { type ConnectionRetryConfig, type RetryOptions, withRetry } from "./async/retry.ts";
export { sleep, timerMs } from "./async/sleep.ts";
export {
  type ChannelNotifyAdapter,
  type ChannelNotifyAdapterOptions,
  createChannelNotifyAdapter,
} from "./adapter-kit/channel-notify-adapter.ts";
export type {
  ChannelSubscriber,
  NotifyChannel,
  NotifyStats,
  NotifyTopic,
  NotifyTransport,
  OutgoingMessage,
} from "./adapter-kit/notify-channel.ts";
export {
  createReconnectingSubscriber,
  type ReconnectingSubscriber,
  type ReconnectingSubscriberOptions,
  type SubscriberConnection,
  type SubscriberConnectionEvents,
} from "./adapter-kit/reconnecting-subscriber.ts";
export { ReadCache } from "./operator/guest/read-slots.ts";
export { rejectAfter } from "./async/time-limit.ts";
export { retryInRounds, retryRounds } from "./adapter-kit/retry-rounds.ts";
export { createJobIdGenerator } from "./adapter-kit/job-ids.ts";
export { newStateJob, type StoredPlace } from "./model/state-job.ts";
export { Gate } from "./adapter-kit/limit-gate.ts";
export {
  boundsOfKey,
  fullLimitLookMs,
  isDeclarationNews,
  type LimitRoom,
  limitRoom,
  type LimitUse,
  spendTokens,
  tokensAt,
  unbounded,
} from "./adapter-kit/limit-rules.ts";
export { attemptError } from "./adapter-kit/stored-attempts.ts";
export { duration } from "./model/duration-text.ts";
export { matchesAll, possibleStatuses } from "./adapter-kit/job-conditions.ts";
export type {
  CancellationJob,
  CancellationView,
  WaitingEdge,
} from "./adapter-kit/cancellation-graph.ts";
export {
  type CancellationPlan,
  planCancellation,
  sequencesOf,
  toCancelledJobs,
} from "./adapter-kit/plan-cancellation.ts";
export {
  blockerCancelledError,
  blockerFailedError,
  cancelledAttemptError,
  leaseExpiredError,
} from "./adapter-kit/stored-texts.ts";
export {
  type AdapterMethod,
  mapMethods,
  type OnAdapterError,
  type StateAdapterRetryOptions,
  wrapNotifyAdapterWithLogging,
  wrapStateAdapterWithLogging,
  wrapStateAdapterWithRetry,
} from "./adapter-kit/wrap-adapters.ts";
export { withTransforms } from "./payloads/with-transforms.ts";
export {
  assertDurationMs,
  assertInteger,
  assertMethods,
  assertName,
  assertObject,
  assertPositiveMs,
  hasMethods,
} from "./model/assert-option.ts";
export { assertKnownOptions } from "./model/assert-known-options.ts";
export { exponentialDelayMs, type Jitter, withJitter } from "./model/backoff.ts";
export { defaults, limits } from "./defaults.ts";
export * from "./errors.ts";
export * from "./adapters/state-adapter.ts";
export type * from "./adapters/state-adapter-params.ts";
export type * from "./adapters/state-adapter-updates.ts";
export type * from "./adapters/state-adapter-queries.ts";
export type * from "./adapters/limit-key-store.ts";
export type * from "./adapters/state-adapter-limits.ts";
export * from "./adapters/operator-store.ts";
export * from "./adapters/operator-actions.ts";
export * from "./adapters/operator-logs.ts";
export type * from "./adapters/operator-reads.ts";
export type * from "./adapters/job-condition.ts";
export type * from "./adapters/state-adapter-schedules.ts";
export type * from "./adapters/notify-adapter.ts";
export { assertNotInProduction, type TimeTravel } from "./adapters/time-travel.ts";
export type * from "./adapters/events.ts";
export type * from "./adapters/observability-adapter.ts";
export type * from "./model/state-job.ts";
export type { JobStatus } from "./model/status.ts";
export { jobStatuses } from "./model/status.ts";
export type { StateDeduplication } from "./model/deduplication.ts";
export type { ScheduleOptions } from "./model/schedule.ts";
export { createQueuertWith } from "./queuert.ts";
export type { EngineSeams } from "./engine.ts";
