import type { Participant } from "../participant.ts";
import { connectionsMax } from "../postgres-server.ts";
import { createPgBoss } from "./pg-boss-client.ts";

export const participant: Participant = createPgBoss(
  { batchSize: 1, workerCount: connectionsMax, mode: "whole batch" },
  "batchSize 1, a worker for each connection. A callback's row is written outside the completion",
);
