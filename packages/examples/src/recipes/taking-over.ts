import type { Client } from "./client.ts";

/** A job as another queue has it. */
interface OldJob {
  readonly id: string;
  readonly data: { readonly to: string };
  readonly dueAt: Date;
}

/** Can be run again after a crash: a row that has been taken over is found by its key. */
export const takeOver = (queuert: Client, oldJobs: readonly OldJob[]) =>
  queuert.transaction((context) =>
    queuert.startJobSequences({
      ...context,
      sequences: oldJobs.map(({ id, data, dueAt }) => ({
        typeName: "send-mail" as const,
        input: data,
        schedule: { at: dueAt },
        deduplication: { key: `old:${id}`, strategy: "all" as const },
      })),
    }),
  );
