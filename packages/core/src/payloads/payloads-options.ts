import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertFunction, assertObject } from "../model/assert-option.ts";
import type { PayloadCodec } from "../model/payload.ts";
import type { PayloadTransform } from "./transform.ts";

/** How payloads are written to the store. */
export interface PayloadsOptions {
  /**
   * Writes values that JSON cannot carry, such as `richJson()`. The job types are then made by `defineCodedJobTypes`.
   * Default: payloads are plain JSON.
   */
  readonly codec?: PayloadCodec | undefined;
  /** Applied in this order when a text is written, and undone in the other order: `compress`, `encrypt`, `offload`. Default: none. */
  readonly transforms?: readonly PayloadTransform[] | undefined;
}

/** `isCoded`: of the job types. Their types say how payloads are read, so both have to agree. */
export const assertPayloadsOptions = (
  options: PayloadsOptions | undefined,
  isCoded: boolean,
): void => {
  if (options === undefined) return assertAgreed(undefined, isCoded);
  assertObject(options, "payloads");
  assertKnownOptions(options, ["codec", "transforms"], "payloads.");
  const { codec, transforms = [] } = options;
  if (codec !== undefined) assertCodec(codec);
  assertAgreed(codec, isCoded);
  if (!Array.isArray(transforms)) {
    const remedy = "give an array, such as `[compress(), encrypt({ keys })]`";
    throw new InvalidOptionError("payloads.transforms", transforms, remedy);
  }
  const names = new Set<string>();
  for (const transform of transforms as readonly PayloadTransform[]) {
    assertObject(transform, "payloads.transforms");
    assertFunction(transform.apply, "payloads.transforms.apply");
    assertFunction(transform.undo, "payloads.transforms.undo");
    if (typeof transform.name !== "string" || !/^[a-z]{1,16}$/.test(transform.name)) {
      const remedy = "give 1 to 16 lower-case letters";
      throw new InvalidOptionError("payloads.transforms.name", transform.name, remedy);
    }
    if (names.has(transform.name)) {
      const remedy = "give each transform once";
      throw new InvalidOptionError("payloads.transforms", transform.name, remedy);
    }
    names.add(transform.name);
  }
};

const assertAgreed = (codec: PayloadCodec | undefined, isCoded: boolean): void => {
  if ((codec !== undefined) === isCoded) return;
  const remedy = isCoded
    ? "give a codec, such as `richJson()`: the job types are made by `defineCodedJobTypes`"
    : "make the job types by `defineCodedJobTypes`, so that their types say how payloads are read";
  throw new InvalidOptionError("payloads.codec", codec, remedy);
};

/** With a payload that every codec must give back. */
const assertCodec = (codec: PayloadCodec): void => {
  assertObject(codec, "payloads.codec");
  assertFunction(codec.stringify, "payloads.codec.stringify");
  assertFunction(codec.parse, "payloads.codec.parse");
  const given = JSON.stringify({ list: [1, "text", true, null] });
  let stored: string;
  let read: string | undefined;
  try {
    stored = codec.stringify(JSON.parse(given));
    JSON.parse(stored);
    read = JSON.stringify(codec.parse(stored));
  } catch (cause) {
    const remedy = "give a codec whose `stringify` makes JSON text, and whose `parse` reads it";
    throw new InvalidOptionError("payloads.codec", codec, remedy, { cause });
  }
  if (read === given && JSON.stringify(codec.parse(given)) === given) return;
  const remedy = "give a codec whose `parse` reads its own texts and plain JSON as they were";
  throw new InvalidOptionError("payloads.codec", codec, remedy);
};
