import type { Participant } from "../participant.ts";
import { openWithPg, participant as usual } from "./postgres.ts";

export const participant: Participant = {
  ...usual,
  settings: "as queuert-postgres, without the registry of workers and metrics",
  open: (target) => openWithPg(target, undefined, { workerRegistry: false }),
};
