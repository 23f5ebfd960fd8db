import type { Participant } from "../participant.ts";
import { createPgBoss } from "./pg-boss-client.ts";

export const participant: Participant = createPgBoss(
  { batchSize: 100, workerCount: 10, mode: "transactional" },
  "batchSize 100, ten workers, transactional: the rows of a batch commit with its completion",
);
