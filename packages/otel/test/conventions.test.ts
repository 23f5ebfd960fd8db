import {
  ATTR_MESSAGING_BATCH_MESSAGE_COUNT,
  ATTR_MESSAGING_CLIENT_ID,
  ATTR_MESSAGING_DESTINATION_NAME,
  ATTR_MESSAGING_MESSAGE_CONVERSATION_ID,
  ATTR_MESSAGING_MESSAGE_ID,
  ATTR_MESSAGING_OPERATION_NAME,
  ATTR_MESSAGING_OPERATION_TYPE,
  ATTR_MESSAGING_SYSTEM,
} from "@opentelemetry/semantic-conventions/incubating";
import { ATTR_ERROR_TYPE } from "@opentelemetry/semantic-conventions";
import { expect, it } from "vitest";
import { metricAttribute, spanAttribute } from "../src/attributes.ts";

it("names span attributes as the conventions do, and the others after us", () => {
  const { rootSequenceId, sequenceType, originId, attempt, result, ...others } = spanAttribute;
  const { prepareMode, deduplicatedCount, ...conventional } = others;
  expect(conventional).toEqual({
    system: ATTR_MESSAGING_SYSTEM,
    operationName: ATTR_MESSAGING_OPERATION_NAME,
    operationType: ATTR_MESSAGING_OPERATION_TYPE,
    destination: ATTR_MESSAGING_DESTINATION_NAME,
    messageId: ATTR_MESSAGING_MESSAGE_ID,
    conversationId: ATTR_MESSAGING_MESSAGE_CONVERSATION_ID,
    batchCount: ATTR_MESSAGING_BATCH_MESSAGE_COUNT,
    clientId: ATTR_MESSAGING_CLIENT_ID,
    errorType: ATTR_ERROR_TYPE,
  });
  expect(metricAttribute.errorType).toBe(ATTR_ERROR_TYPE);
  const own = [rootSequenceId, sequenceType, originId, attempt, result, prepareMode];
  for (const name of [...own, deduplicatedCount]) expect(name).toMatch(/^queuert\./);
});
