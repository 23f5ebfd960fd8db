// Stored payloads that the client cannot read: a key is missing, or a text is damaged.
import { QueuertError } from "./queuert-error.ts";

/** A stored text was encrypted with a key that this client does not have. */
export class UnknownPayloadKeyError extends QueuertError {
  readonly code = "QUEUERT_UNKNOWN_PAYLOAD_KEY" as const;
  readonly keyId: string;

  constructor(keyId: string, options?: ErrorOptions) {
    super(
      `A stored payload is encrypted with the key "${keyId}", which this client does not have. ` +
        "Add it to `byId` of `encrypt`, and keep it until no job has it any more.",
      options,
    );
    this.keyId = keyId;
  }
}

/** The payload codec refuses a payload, so nothing is written. */
export class PayloadCodecError extends QueuertError {
  readonly code = "QUEUERT_PAYLOAD_CODEC" as const;
  readonly typeName: string;
  readonly part: "input" | "output";

  constructor(typeName: string, part: "input" | "output", reason: string, options?: ErrorOptions) {
    super(
      `The codec in \`payloads\` cannot write the ${part} of job type "${typeName}": ${reason}. ` +
        "Give a value that it knows, or a codec that knows the value.",
      options,
    );
    this.typeName = typeName;
    this.part = part;
  }
}

/** A stored text has been transformed, and cannot be turned back. */
export class UnreadablePayloadError extends QueuertError {
  readonly code = "QUEUERT_UNREADABLE_PAYLOAD" as const;
  /** The transforms of the text, as it names them: `gz+enc.2026-11`. */
  readonly transforms: string;

  constructor(transforms: string, reason: string, options?: ErrorOptions) {
    super(
      `A stored payload with the transforms "${transforms}" cannot be read: ${reason}. ` +
        "Give `createQueuert` the option `payloads` that it was written with.",
      options,
    );
    this.transforms = transforms;
  }
}
