import type { Client } from "./client.ts";

/** Ends the sequence for good, with the sequences that were started for it. The signal of a running handler aborts. */
export const cancelMail = (queuert: Client, id: string) =>
  queuert.cancelJobSequences({ ids: [id], reason: "the customer has left" });

/** At most one report runs: another start cancels the one that stands. */
export const restartReport = (queuert: Client) =>
  queuert.startJobSequence({
    autocommit: true,
    typeName: "daily-report",
    input: null,
    deduplication: { key: "report", whenTaken: "cancel" },
  });

/** Deletes the sequence, with its continuations and the blockers that they started. */
export const forgetMail = (queuert: Client, id: string) =>
  queuert.transaction((context) =>
    queuert.deleteJobSequences({ ...context, rootSequenceIds: [id] }),
  );
