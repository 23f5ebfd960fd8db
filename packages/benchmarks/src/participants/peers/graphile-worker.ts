import type { Participant } from "../participant.ts";
import { createGraphileWorker } from "./graphile-worker-client.ts";

export const participant: Participant = createGraphileWorker(
  {},
  "a fetch and a completion for each job",
);
