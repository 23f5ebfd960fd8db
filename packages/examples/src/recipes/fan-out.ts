import type { Client } from "./client.ts";

export const makeAlbum = (queuert: Client, urls: readonly string[]) =>
  queuert.transaction((context) =>
    queuert.startJobSequence({
      ...context,
      typeName: "make-album",
      input: null,
      startBlockers: () =>
        queuert.startJobSequences({
          ...context,
          sequences: urls.map((url) => ({ typeName: "resize-image" as const, input: { url } })),
        }),
    }),
  );
