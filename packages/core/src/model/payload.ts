// Payloads cross the contract as JSON text. A value that JSON would silently change or drop is refused here, before
// anything is written, so that every store returns the same value. With a codec, the codec decides. Without one there are
// exceptions:
// - A Date is read back as its ISO string.
// - An undefined property is left out.
// - An undefined element of an array, and an undefined payload, are read back as null.
// - The number -0 is read back as 0.
import { limits } from "../defaults.ts";
import {
  BrokenPayloadError,
  LimitExceededError,
  NotJsonError,
  PayloadCodecError,
  UnreadablePayloadError,
} from "../errors.ts";
import { findJsonProblem } from "./json-problem.ts";
import type { JsonText } from "./state-job.ts";

/** Whose payload it is, for the error. */
export interface PayloadOwner {
  readonly typeName: string;
  readonly part: "input" | "output";
}

/** Turns payloads into texts, and texts into payloads, for values that JSON cannot carry. */
export interface PayloadCodec {
  /** The payload as JSON text. It throws for a value that `parse` could not give back. */
  readonly stringify: (payload: unknown) => string;
  /** The payload of such a text. It also reads JSON that was stored without a codec. */
  readonly parse: (text: string) => unknown;
}

/** How a client writes payloads. */
export interface PayloadRules {
  /** Null: payloads are plain JSON. */
  readonly codec: PayloadCodec | null;
  /** In UTF-8. */
  readonly payloadBytesMax: number;
}

/** Checks a payload and serialises it. */
export const toJsonText = (
  value: unknown,
  owner: PayloadOwner,
  { codec, payloadBytesMax: bytesMax }: PayloadRules,
): JsonText => {
  const text = codec === null ? toPlainText(value, owner) : toCodedText(codec, value, owner);
  // UTF-8 has at most three bytes for a unit of UTF-16: most payloads need no count.
  if (text.length * 3 > bytesMax) assertBytes(text, owner, bytesMax);
  return text;
};

const toPlainText = (value: unknown, owner: PayloadOwner): JsonText => {
  const problem = findJsonProblem(value);
  if (problem !== null) {
    throw new NotJsonError(owner.typeName, owner.part, problem.path, problem.what);
  }
  return JSON.stringify(value) ?? "null";
};

const toCodedText = (
  codec: PayloadCodec,
  value: unknown,
  { typeName, part }: PayloadOwner,
): JsonText => {
  let text: unknown;
  try {
    text = codec.stringify(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "`stringify` threw no error";
    throw new PayloadCodecError(typeName, part, reason, { cause });
  }
  if (typeof text === "string") return text;
  throw new PayloadCodecError(typeName, part, `\`stringify\` returned a ${typeof text}`);
};

const assertBytes = (text: JsonText, { typeName, part }: PayloadOwner, bytesMax: number): void => {
  const bytes = Buffer.byteLength(text);
  if (bytes <= bytesMax) return;
  throw new LimitExceededError({
    field: part,
    typeName,
    limit: bytesMax,
    actual: bytes,
    unit: "bytes",
    remedy:
      "store large data elsewhere and give the job a reference, or raise the option `payloadBytesMax` of " +
      `createQueuert, to at most ${limits.payloadBytesMax}`,
  });
};

/** The beginning of a text that was transformed on its way to the store. No JSON begins so. */
export const transformedPrefix = "q1:";

export const isTransformed = (text: string): boolean => text.startsWith(transformedPrefix);

/** The stored text of a job's payload as the value users see. */
export const fromJsonText = (
  text: JsonText,
  jobId: string,
  codec: PayloadCodec | null,
): unknown => {
  try {
    return codec === null ? (JSON.parse(text) as unknown) : codec.parse(text);
  } catch (error) {
    // The parser's own message quotes the payload.
    void error;
    if (isTransformed(text)) {
      const [, tags = ""] = text.split(":", 2);
      throw new UnreadablePayloadError(tags, `this client cannot turn it back (job ${jobId})`);
    }
    throw new BrokenPayloadError(jobId);
  }
};
