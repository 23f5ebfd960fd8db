// Starts by 50 connections, each a bare INSERT: as many connections as the case has callers.
import type { Participant } from "../participant.ts";
import { openFloor, participant as plain } from "./postgres.ts";
import { insertAlone } from "./postgres-start.ts";

const connections = 50;

export const participant: Participant = {
  ...plain,
  settings: `as floor-postgres, with a pool of ${connections}; a start is a bare INSERT`,
  open: async (target) => {
    const { pool, nextId, opened } = await openFloor(target, { max: connections });
    return { ...opened, startOne: (payload) => insertAlone(pool, nextId(), payload) };
  },
};
