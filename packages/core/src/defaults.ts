// Every default and every limit, with its unit, in one place.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const yearMs = 365 * 24 * 60 * minuteMs;
const mebi = 2 ** 20;

/** The values of options that are left out. */
export const defaults: {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly leaseRenewIntervalMs: number;
  readonly pollIntervalMs: number;
  readonly pollIntervalWithNotifyMs: number;
  readonly reapIntervalMs: number;
  readonly shutdownGraceMs: number;
  readonly shutdownTimeoutMs: number;
  readonly retryInitialDelayMs: number;
  readonly retryMultiplier: number;
  readonly retryMaxDelayMs: number;
  readonly retryMaxAttempts: number;
  readonly waitPollIntervalMs: number;
  readonly listLimit: number;
  readonly heldTransactionWarningMs: number;
  readonly retentionIntervalMs: number;
  readonly payloadBytesMax: number;
  readonly ticksForMs: number;
  readonly batchMaxWaitMs: number;
} = {
  concurrency: 10,
  leaseMs: 30 * secondMs,
  // A third of the lease: two renewals may be missed.
  leaseRenewIntervalMs: 10 * secondMs,
  // Without a notify adapter a worker finds jobs of other processes only by polling.
  pollIntervalMs: secondMs,
  // With one, polling only covers lost notifications.
  pollIntervalWithNotifyMs: 10 * secondMs,
  reapIntervalMs: 5 * secondMs,
  // Docker sends SIGKILL 10 s after SIGTERM.
  shutdownGraceMs: 5 * secondMs,
  shutdownTimeoutMs: 8 * secondMs,
  retryInitialDelayMs: secondMs,
  retryMultiplier: 2,
  retryMaxDelayMs: 60 * minuteMs,
  // About half a day with the delays above.
  retryMaxAttempts: 25,
  waitPollIntervalMs: 100,
  listLimit: 50,
  heldTransactionWarningMs: 10 * secondMs,
  retentionIntervalMs: minuteMs,
  payloadBytesMax: mebi,
  ticksForMs: 90 * 24 * 60 * minuteMs,
  batchMaxWaitMs: secondMs,
};

/** The largest values of options. */
export const limits: {
  readonly timerMsMax: number;
  readonly delayMsMax: number;
  readonly scheduledAtMax: number;
  readonly concurrencyMax: number;
  readonly priorityMax: number;
  readonly nameLengthMax: number;
  readonly deduplicationKeyLengthMax: number;
  readonly listLimitMax: number;
  readonly settleBatchMax: number;
  readonly reclaimBatchMax: number;
  readonly retentionBatchMax: number;
  readonly prefetchMax: number;
  readonly errorLengthMax: number;
  readonly cancelReasonLengthMax: number;
  readonly pauseNoteLengthMax: number;
  readonly payloadBytesMax: number;
  readonly callElementsMax: number;
  readonly callCharactersMax: number;
  readonly blockersMax: number;
  readonly workerTypesMax: number;
  readonly processOnceJobsMax: number;
  readonly limitCountMax: number;
  readonly limitPerMsMax: number;
  readonly limitKeyLengthMax: number;
  readonly prefetchCharactersMax: number;
  readonly batchSizeMax: number;
} = {
  // setTimeout takes a signed 32-bit number; anything longer fires at once.
  timerMsMax: 2 ** 31 - 1,
  delayMsMax: 100 * yearMs,
  scheduledAtMax: Date.UTC(9999, 11, 31),
  concurrencyMax: 10_000,
  // Fits a 16-bit column.
  priorityMax: 32_767,
  // Type names, worker ids: they stand in indexes and in channel payloads.
  nameLengthMax: 255,
  deduplicationKeyLengthMax: 512,
  listLimitMax: 1_000,
  settleBatchMax: 500,
  reclaimBatchMax: 1_000,
  // Trees in one statement: in stores with one writer, other writes wait for it.
  retentionBatchMax: 100,
  prefetchMax: 500,
  // Stored errors: enough for a message and the top of a stack.
  errorLengthMax: 10_000,
  cancelReasonLengthMax: 1_000,
  pauseNoteLengthMax: 1_000,
  // The most that the option `payloadBytesMax` may allow. A MongoDB document has this limit with all its fields.
  payloadBytesMax: 16 * mebi,
  // Elements of one array of a call. Starts take about 13 µs each, in one turn of the event loop.
  callElementsMax: 10_000,
  // Payloads of one statement: their JSON texts together.
  callCharactersMax: 64 * mebi,
  // Each blocker's output is read with the job.
  blockersMax: 1_000,
  // Each acquisition names all types of its worker. MongoDB: two stages for each, of at most 1,000 in a pipeline.
  workerTypesMax: 5_000,
  processOnceJobsMax: 1_000_000,
  // Of a limit: its concurrency, the count and the burst of its rate.
  limitCountMax: 1_000_000,
  limitPerMsMax: 30 * 24 * 60 * minuteMs,
  limitKeyLengthMax: 255,
  // Payloads that a worker holds beyond its slots, by the size of its last jobs.
  prefetchCharactersMax: 32 * mebi,
  // Jobs of one batch: the same process function has all their payloads.
  batchSizeMax: 1_000,
};
