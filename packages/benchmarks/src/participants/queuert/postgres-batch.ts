import type { Participant } from "../participant.ts";
import { openWithPg, participant as single } from "./postgres.ts";

const batchSize = 100;

export const participant: Participant = {
  ...single,
  settings: `as queuert-postgres, with a batch handler of ${batchSize} jobs: their rows and their outcomes commit in one transaction`,
  workloads: ["value", "callback"],
  open: (target) => openWithPg(target, undefined, { batchSize }),
};
