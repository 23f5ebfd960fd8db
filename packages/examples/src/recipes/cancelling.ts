import type { Client } from "./client.ts";

/** Ends the sequence with an output, and keeps it. The signal of a running handler aborts. */
export const cancelMail = (queuert: Client, id: string) =>
  queuert.transaction((context) =>
    queuert.completeJobSequence({
      ...context,
      typeName: "send-mail",
      id,
      complete: ({ job, complete }) => complete(job, () => ({ sent: false })),
    }),
  );

/** Deletes the sequence, with its continuations and the blockers that they started. */
export const forgetMail = (queuert: Client, id: string) =>
  queuert.transaction((context) =>
    queuert.deleteJobSequences({ ...context, rootSequenceIds: [id] }),
  );
