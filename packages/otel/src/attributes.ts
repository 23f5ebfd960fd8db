// Every attribute name, once. Metrics use the field names of the events. Spans use the names of OpenTelemetry's messaging
// conventions, or names that begin with `queuert.`. The names are written out: the messaging conventions are still in
// development, and their package may change them.

/** Attributes of metrics. None holds an id, but for `workerId` on the two gauges per worker. */
export const metricAttribute: {
  readonly typeName: "typeName";
  readonly workerId: "workerId";
  readonly status: "status";
  readonly operation: "operation";
  readonly outcome: "outcome";
  readonly willRetry: "willRetry";
  readonly continued: "continued";
  readonly errorType: "error.type";
} = {
  typeName: "typeName",
  workerId: "workerId",
  status: "status",
  operation: "operation",
  outcome: "outcome",
  willRetry: "willRetry",
  continued: "continued",
  errorType: "error.type",
};

/** Attributes of spans. */
export const spanAttribute: {
  readonly system: "messaging.system";
  readonly operationName: "messaging.operation.name";
  readonly operationType: "messaging.operation.type";
  readonly destination: "messaging.destination.name";
  readonly messageId: "messaging.message.id";
  readonly conversationId: "messaging.message.conversation_id";
  readonly batchCount: "messaging.batch.message_count";
  readonly clientId: "messaging.client.id";
  readonly errorType: "error.type";
  readonly rootSequenceId: "queuert.root_sequence.id";
  readonly sequenceType: "queuert.sequence.type";
  readonly originId: "queuert.job.origin_id";
  readonly attempt: "queuert.job.attempt";
  readonly result: "queuert.job.attempt.result";
  readonly prepareMode: "queuert.prepare.mode";
  readonly deduplicatedCount: "queuert.sequence.deduplicated_count";
} = {
  system: "messaging.system",
  operationName: "messaging.operation.name",
  operationType: "messaging.operation.type",
  destination: "messaging.destination.name",
  messageId: "messaging.message.id",
  conversationId: "messaging.message.conversation_id",
  batchCount: "messaging.batch.message_count",
  clientId: "messaging.client.id",
  errorType: "error.type",
  rootSequenceId: "queuert.root_sequence.id",
  sequenceType: "queuert.sequence.type",
  originId: "queuert.job.origin_id",
  attempt: "queuert.job.attempt",
  result: "queuert.job.attempt.result",
  prepareMode: "queuert.prepare.mode",
  deduplicatedCount: "queuert.sequence.deduplicated_count",
};
