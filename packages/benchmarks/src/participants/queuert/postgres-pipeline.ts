import type { Participant } from "../participant.ts";
import { openWithPg, participant as oneByOne } from "./postgres.ts";

export const participant: Participant = {
  ...oneByOne,
  settings: "as queuert-postgres, with pipelining",
  open: (target) => openWithPg(target, undefined, { pipeline: true }),
};
