import type { Participant } from "../participant.ts";
import { createPgBoss } from "./pg-boss-client.ts";

export const participant: Participant = createPgBoss(
  1,
  "batchSize 1, a worker for each job at a time",
);
