import type { Participant } from "../participant.ts";
import { createBullmq } from "./bullmq-redis.ts";

export const participant: Participant = createBullmq(
  "Redis with appendonly yes, appendfsync always",
);
