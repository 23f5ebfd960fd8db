import type { Participant } from "../participant.ts";
import { createBullmq } from "./bullmq-client.ts";

export const participant: Participant = createBullmq(
  "Redis with appendonly yes, appendfsync always",
);
