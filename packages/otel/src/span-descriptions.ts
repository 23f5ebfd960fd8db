// Name, kind and first attributes of each span: samplers decide by these.
import { type Attributes, SpanKind } from "@opentelemetry/api";
import type { JobProcessingData, SpanDescription } from "queuert";
import { spanAttribute as attribute } from "./attributes.ts";

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

type Described = Exclude<SpanDescription, { readonly kind: "settle" }>;

/** Names are `<operation> <job type>`, as the messaging conventions have it: few, and the same for every job. */
export const describeSpan = (description: Described): SpanStart => {
  switch (description.kind) {
    case "startSequences":
      return describeStart(description.typeNames);
    case "attempt":
      return describeAttempt(description.job);
    case "prepare": {
      const { job, mode } = description;
      return within("prepare", job, { [attribute.prepareMode]: mode });
    }
    case "complete":
      return within("complete", description.job, {});
    case "completeExternally": {
      const { job } = description;
      return {
        name: `complete ${job.typeName}`,
        kind: SpanKind.CONSUMER,
        attributes: {
          ...operation("complete", "process", job.typeName),
          ...message(job.id, job.sequenceId, job.rootSequenceId),
        },
      };
    }
    case "awaitSequence": {
      const { sequenceId, typeName } = description;
      return {
        name: `await ${typeName}`,
        kind: SpanKind.INTERNAL,
        attributes: {
          [attribute.system]: "queuert",
          [attribute.operationName]: "await",
          [attribute.destination]: typeName,
          [attribute.conversationId]: sequenceId,
        },
      };
    }
  }
};

/** Storing one attempt's outcome; `count`: how many were stored by the same call. */
export const describeSettle = (typeName: string, count: number): SpanStart => ({
  name: `settle ${typeName}`,
  kind: SpanKind.CLIENT,
  attributes: {
    ...operation("settle", "settle", typeName),
    ...(count > 1 && { [attribute.batchCount]: count }),
  },
});

const describeStart = (typeNames: readonly string[]): SpanStart => {
  const [typeName] = typeNames;
  const isOneType = typeName !== undefined && typeNames.every((name) => name === typeName);
  return {
    name: isOneType ? `start ${typeName}` : "start",
    kind: SpanKind.PRODUCER,
    attributes: {
      ...operation("start", "send", isOneType ? typeName : undefined),
      ...(typeNames.length !== 1 && { [attribute.batchCount]: typeNames.length }),
    },
  };
};

/** The most frequent span. Its names are written out, since computed keys make slower objects. */
const describeAttempt = (job: JobProcessingData): SpanStart => {
  const attributes: AttemptAttributes & Attributes = {
    "messaging.system": "queuert",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": job.typeName,
    "messaging.message.id": job.id,
    "messaging.message.conversation_id": job.sequenceId,
    "messaging.client.id": job.workerId,
    "queuert.job.attempt": job.attempt,
  };
  // Only if they differ from the attributes above.
  if (job.rootSequenceId !== job.sequenceId) {
    attributes[attribute.rootSequenceId] = job.rootSequenceId;
  }
  if (job.sequenceTypeName !== job.typeName) {
    attributes[attribute.sequenceType] = job.sequenceTypeName;
  }
  if (job.originId !== null) attributes[attribute.originId] = job.originId;
  return { name: `process ${job.typeName}`, kind: SpanKind.CONSUMER, attributes };
};

/** The compiler compares the names above with those of the table. */
type AttemptAttributes = Readonly<
  Record<
    (typeof attribute)[
      | "system"
      | "operationName"
      | "operationType"
      | "destination"
      | "messageId"
      | "conversationId"
      | "clientId"
      | "attempt"],
    string | number
  >
>;

/** A step of an attempt; the attempt's span has the other attributes. */
const within = (name: string, job: JobProcessingData, attributes: Attributes): SpanStart => ({
  name: `${name} ${job.typeName}`,
  kind: SpanKind.INTERNAL,
  attributes: { [attribute.messageId]: job.id, ...attributes },
});

const operation = (name: string, type: string, typeName: string | undefined): Attributes => ({
  [attribute.system]: "queuert",
  [attribute.operationName]: name,
  [attribute.operationType]: type,
  ...(typeName !== undefined && { [attribute.destination]: typeName }),
});

const message = (id: string, sequenceId: string, rootSequenceId: string): Attributes => ({
  [attribute.messageId]: id,
  [attribute.conversationId]: sequenceId,
  [attribute.rootSequenceId]: rootSequenceId,
});
