import type { Client } from "./client.ts";

/** Runs 5 s after the last call for the document, and at least once a minute while calls go on. */
export const reindex = (queuert: Client, doc: string, version: number) =>
  queuert.startJobSequence({
    autocommit: true,
    typeName: "reindex",
    input: { doc, version },
    schedule: { afterMs: 5_000 },
    deduplication: { key: doc, strategy: "pending", replaces: true, maxWaitMs: 60_000 },
  });
