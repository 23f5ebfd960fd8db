import type { Participant } from "../participant.ts";
import { createPgBoss } from "./pg-boss-client.ts";

export const participant: Participant = createPgBoss(
  { batchSize: 1_000, workerCount: 1, mode: "whole batch" },
  "batchSize 1,000, one worker, one outcome for a batch. A callback's row is written outside the completion",
);
