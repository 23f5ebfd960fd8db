// Texts between a client and its store: compressed, encrypted, or kept elsewhere. Each stored text names its transforms, so a text
// without one is read as it is, and keys rotate without a migration.
import { QueuertError, UnreadablePayloadError } from "../errors.ts";
import { isTransformed, transformedPrefix } from "../model/payload.ts";

type MaybePromise<T> = T | Promise<T>;

/** The text that is transformed. */
export interface TransformedText {
  /** Null for an error, a log and the reason of a cancellation: they are treated alike in all types. */
  readonly typeName: string | null;
  readonly part: "input" | "output" | "error" | "reason" | "log";
}

/** One step between a client and its store. */
export interface PayloadTransform {
  /** The beginning of its tags, in lower-case letters. Stored texts have it: never change it. */
  readonly name: string;
  /** Turns bytes into others. Null: it leaves this text as it is. */
  readonly apply: (
    bytes: Uint8Array,
    text: TransformedText,
  ) => MaybePromise<{
    readonly bytes: Uint8Array;
    /** Stored with the text, for `undo`: letters, digits, `_` and `-`. Default: none. */
    readonly detail?: string | undefined;
  } | null>;
  /** Turns the bytes of `apply` back. */
  readonly undo: (bytes: Uint8Array, detail: string) => MaybePromise<Uint8Array>;
}

/** The text as it is stored: `q1:`, the tags in the order of their application, and the bytes in base64. */
export const applyTransforms = async (
  transforms: readonly PayloadTransform[],
  text: string,
  about: TransformedText,
): Promise<string> => {
  let bytes: Uint8Array = Buffer.from(text);
  const tags: string[] = [];
  for (const { name, apply } of transforms) {
    const applied = await apply(bytes, about);
    if (applied === null) continue;
    bytes = applied.bytes;
    tags.push(applied.detail === undefined ? name : `${name}.${applied.detail}`);
  }
  if (tags.length === 0) return text;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return `${transformedPrefix}${tags.join("+")}:${body}`;
};

/** The text as it was written. A text without transforms stays as it is. */
export const undoTransforms = async (
  transforms: readonly PayloadTransform[],
  stored: string,
): Promise<string> => {
  if (!isTransformed(stored)) return stored;
  const end = stored.indexOf(":", transformedPrefix.length);
  const tags = stored.slice(transformedPrefix.length, end);
  if (end < 0) throw new UnreadablePayloadError("", "its tags have no end");
  let bytes: Uint8Array = Buffer.from(stored.slice(end + 1), "base64");
  for (const tag of tags.split("+").toReversed()) {
    const [name = "", detail = ""] = tag.split(".", 2);
    const transform = transforms.find((one) => one.name === name);
    if (transform === undefined) {
      throw new UnreadablePayloadError(tags, `no transform "${name}" is given`);
    }
    bytes = await undoOne(transform, bytes, detail, tags);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
};

const undoOne = async (
  { undo, name }: PayloadTransform,
  bytes: Uint8Array,
  detail: string,
  tags: string,
): Promise<Uint8Array> => {
  try {
    return await undo(bytes, detail);
  } catch (cause) {
    if (cause instanceof QueuertError) throw cause;
    throw new UnreadablePayloadError(tags, `"${name}" fails, its text is damaged`, { cause });
  }
};
