import type { Client } from "./client.ts";

type Resize = (urls: readonly string[]) => Promise<readonly (string | null)[]>;

/** Up to 100 images in one call, and at least 20 unless one has waited for half a second. */
export const resizeWorker = (queuert: Client, resize: Resize) =>
  queuert.createWorker().implementJobTypeBatch({
    typeName: "resize-image",
    batch: { maxSize: 100, minSize: 20, maxWaitMs: 500 },
    process: async ({ jobs, complete }) => {
      const paths = await resize(jobs.map(({ input }) => input.url));
      return complete(
        jobs.map((_job, index) => {
          const path = paths[index];
          return path ? { output: { path } } : { error: new Error("no image") };
        }),
      );
    },
  });
