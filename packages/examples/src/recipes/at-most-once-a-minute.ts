import type { Client } from "./client.ts";

export const remind = (queuert: Client, to: string) =>
  queuert.transaction((context) =>
    queuert.startJobSequence({
      ...context,
      typeName: "send-mail",
      input: { to },
      // "all": also when the last one has been sent already.
      deduplication: { key: `reminder:${to}`, strategy: "all", windowMs: 60_000 },
    }),
  );
