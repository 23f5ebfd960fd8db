import { InvalidOptionError, UnknownPayloadKeyError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertName, assertObject } from "../model/assert-option.ts";
import type { PayloadTransform } from "./transform.ts";

/** The keys of `encrypt`. */
export interface EncryptionKeys {
  /** The id of the key that new texts are encrypted with. */
  readonly current: string;
  /** Every key that a stored text may have, of 32 bytes or their base64. Ids: letters, digits, `_` and `-`. */
  readonly byId: Readonly<Record<string, Uint8Array | string>>;
}

/** The options of `encrypt`. */
export interface EncryptOptions {
  /** The key of new texts, and those of stored ones. */
  readonly keys: EncryptionKeys;
  /** Encrypts the payloads of these job types only. Default: those of all types. Errors and reasons are always encrypted. */
  readonly only?: readonly string[] | undefined;
}

// Loaded at the first text: it takes longer than this package.
const loadCrypto = () => import("node:crypto");

const algorithm = "aes-256-gcm";
const sizes = { key: 32, iv: 12, tag: 16 } as const;

/**
 * Encrypts payloads, errors and reasons with AES-256-GCM. To rotate keys, add the new one to every process, and make it
 * `current` after that. Remove the old one when no job has it.
 *
 * @example
 * ```ts
 * const key = randomBytes(32); // from your secrets
 * const payloads = {
 *   transforms: [encrypt({ keys: { current: "2026-11", byId: { "2026-11": key } } })],
 * };
 * ```
 */
export const encrypt = (options: EncryptOptions): PayloadTransform => {
  assertObject(options, "encrypt");
  assertKnownOptions(options, ["keys", "only"], "encrypt.");
  const { current, byId } = toKeys(options.keys);
  const only = options.only === undefined ? null : new Set(toNames(options.only));
  return {
    name: "enc",
    apply: async (bytes, { typeName }) => {
      if (only !== null && typeName !== null && !only.has(typeName)) return null;
      const { createCipheriv, randomBytes } = await loadCrypto();
      const iv = randomBytes(sizes.iv);
      const cipher = createCipheriv(algorithm, keyOf(byId, current), iv);
      const encrypted = [cipher.update(bytes), cipher.final()];
      return { bytes: Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]), detail: current };
    },
    undo: async (bytes, keyId) => {
      const key = keyOf(byId, keyId);
      const { createDecipheriv } = await loadCrypto();
      const [iv, tag] = [bytes.subarray(0, sizes.iv), bytes.subarray(sizes.iv, textAt)];
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: sizes.tag });
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]);
    },
  };
};

const textAt = sizes.iv + sizes.tag;

const keyOf = (byId: ReadonlyMap<string, Uint8Array>, keyId: string): Uint8Array => {
  const key = byId.get(keyId);
  if (key === undefined) throw new UnknownPayloadKeyError(keyId);
  return key;
};

const toKeys = (keys: EncryptionKeys) => {
  assertObject(keys, "encrypt.keys");
  assertKnownOptions(keys, ["current", "byId"], "encrypt.keys.");
  assertObject(keys.byId, "encrypt.keys.byId");
  const byId = new Map<string, Uint8Array>();
  for (const [id, given] of Object.entries(keys.byId)) {
    if (!/^[\w-]{1,64}$/.test(id)) {
      const remedy = "give ids of 1 to 64 letters, digits, `_` and `-`";
      throw new InvalidOptionError("encrypt.keys.byId", id, remedy);
    }
    const key = typeof given === "string" ? Buffer.from(given, "base64") : given;
    if (!(key instanceof Uint8Array) || key.byteLength !== sizes.key) {
      // The key itself must not reach a log.
      const option = `encrypt.keys.byId["${id}"].byteLength`;
      throw new InvalidOptionError(
        option,
        key?.byteLength,
        "give 32 random bytes, or their base64",
      );
    }
    byId.set(id, key);
  }
  if (!byId.has(keys.current)) {
    const remedy = "give the id of a key in `byId`";
    throw new InvalidOptionError("encrypt.keys.current", keys.current, remedy);
  }
  return { current: keys.current, byId };
};

const toNames = (only: readonly string[]): readonly string[] => {
  if (!Array.isArray(only)) {
    throw new InvalidOptionError("encrypt.only", only, "give an array of job types");
  }
  for (const name of only) assertName(name, "encrypt.only");
  return only;
};
