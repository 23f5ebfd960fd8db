import type { Participant } from "../participant.ts";
import { openFloor, participant as oneByOne } from "./postgres.ts";

export const participant: Participant = {
  ...oneByOne,
  settings:
    "as floor-postgres, with pipelining: BEGIN with the statement after it, COMMIT with the one before it, in as few round trips as there can be",
  open: async (target) => (await openFloor(target, { pipeline: true })).opened,
};
