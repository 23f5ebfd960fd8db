import type { Client } from "./client.ts";

/** Ends it with an output of its own, and keeps it: a worker that runs it is told by its signal. */
export const cancelMail = (queuert: Client, id: string) =>
  queuert.transaction((context) =>
    queuert.completeJobSequence({
      ...context,
      typeName: "send-mail",
      id,
      complete: ({ job, complete }) => complete(job, () => ({ sent: false })),
    }),
  );

/** Removes it with everything that was started for it. */
export const forgetMail = (queuert: Client, id: string) =>
  queuert.transaction((context) =>
    queuert.deleteJobSequences({ ...context, rootSequenceIds: [id] }),
  );
