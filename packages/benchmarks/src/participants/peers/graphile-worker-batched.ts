import type { Participant } from "../participant.ts";
import { createGraphileWorker } from "./graphile-worker-client.ts";

// The settings that its page on performance measures with.
export const participant: Participant = createGraphileWorker(
  { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
  "localQueue.size 500, completeJobBatchDelay 0, failJobBatchDelay 0",
);
