import type { Participant } from "../participant.ts";
import { openWithMongodb, participant as usual } from "./mongodb.ts";

export const participant: Participant = {
  ...usual,
  settings: "as queuert-mongodb, without the registry of workers and metrics",
  open: (target) => openWithMongodb(target, undefined, { workerRegistry: false }),
};
