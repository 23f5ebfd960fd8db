import { limits } from "../defaults.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertInteger, assertObject } from "../model/assert-option.ts";
import type { PayloadTransform } from "./transform.ts";

/** The options of `compress`. */
export interface CompressOptions {
  /** Shorter texts stay as they are, in bytes. Default: 1,024. */
  readonly aboveBytes?: number | undefined;
}

// Loaded at the first text: few clients compress, and it takes a tenth of the time in which this package is imported.
const loadZlib = async () => {
  const [{ promisify }, { gunzip, gzip }] = await Promise.all([
    import("node:util"),
    import("node:zlib"),
  ]);
  return { toGzip: promisify(gzip), fromGzip: promisify(gunzip) };
};

/**
 * Compresses long texts with gzip. A text that would not become shorter stays as it is. Give it before `encrypt`.
 *
 * @example
 * ```ts
 * const payloads = { transforms: [compress({ aboveBytes: 4_096 })] };
 * ```
 */
export const compress = (options: CompressOptions = {}): PayloadTransform => {
  assertObject(options, "compress");
  assertKnownOptions(options, ["aboveBytes"], "compress.");
  const { aboveBytes = 1_024 } = options;
  assertInteger(aboveBytes, "compress.aboveBytes", { min: 0, max: limits.payloadBytesMax });
  return {
    name: "gz",
    apply: async (bytes) => {
      if (bytes.byteLength <= aboveBytes) return null;
      const { toGzip } = await loadZlib();
      const compressed = await toGzip(bytes);
      return compressed.byteLength < bytes.byteLength ? { bytes: compressed } : null;
    },
    // A text that grows without end was not written by a client.
    undo: async (bytes) => {
      const { fromGzip } = await loadZlib();
      return fromGzip(bytes, { maxOutputLength: limits.payloadBytesMax });
    },
  };
};
