import { limits } from "../defaults.ts";
import { UnreadablePayloadError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertFunction, assertInteger, assertObject } from "../model/assert-option.ts";
import type { PayloadTransform } from "./transform.ts";

/** Where `offload` keeps large texts, such as a bucket. */
export interface BlobStore {
  /** Resolves when the bytes are stored for good. The key is new each time. */
  readonly write: (key: string, bytes: Uint8Array) => Promise<void>;
  /** Undefined for a key that does not exist. */
  readonly read: (key: string) => Promise<Uint8Array | undefined>;
}

/** The options of `offload`. */
export interface OffloadOptions {
  /** Keeps the texts. */
  readonly store: BlobStore;
  /** Shorter texts stay with their job, in bytes. Default: 262,144. */
  readonly aboveBytes?: number | undefined;
}

/**
 * Keeps large texts elsewhere, and their key with the job. The blob is written before the job. Nothing deletes blobs: let them
 * expire after the longest time that a job is kept. Give it last.
 *
 * @example
 * ```ts
 * const bucket = new Map<string, Uint8Array>(); // your object storage
 * const store = {
 *   write: async (key: string, bytes: Uint8Array) => void bucket.set(key, bytes),
 *   read: async (key: string) => bucket.get(key),
 * };
 * const payloads = { transforms: [offload({ store, aboveBytes: 262_144 })] };
 * ```
 */
export const offload = (options: OffloadOptions): PayloadTransform => {
  assertObject(options, "offload");
  assertKnownOptions(options, ["store", "aboveBytes"], "offload.");
  const { store, aboveBytes = 262_144 } = options;
  assertObject(store, "offload.store");
  assertFunction(store.write, "offload.store.write");
  assertFunction(store.read, "offload.store.read");
  assertInteger(aboveBytes, "offload.aboveBytes", { min: 0, max: limits.payloadBytesMax });
  return {
    name: "off",
    apply: async (bytes, { part }) => {
      // The database cuts errors to a length that fits it. Lines of a log are bounded, and deleted without a word to the store.
      const isOffloaded = part === "input" || part === "output";
      if (bytes.byteLength <= aboveBytes || !isOffloaded) return null;
      const key = crypto.randomUUID();
      await store.write(key, bytes);
      return { bytes: Buffer.from(key) };
    },
    undo: async (bytes) => {
      const key = Buffer.from(bytes).toString();
      const found = await store.read(key);
      if (found === undefined) throw new UnreadablePayloadError("off", `the blob ${key} is gone`);
      return found;
    },
  };
};
