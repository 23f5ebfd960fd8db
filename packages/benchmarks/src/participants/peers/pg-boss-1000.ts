import type { Participant } from "../participant.ts";
import { createPgBoss } from "./pg-boss-client.ts";

export const participant: Participant = createPgBoss(1_000, "batchSize 1,000, one worker");
