import type { Participant } from "../participant.ts";
import { openWithSqlite, participant as usual } from "./sqlite.ts";

export const participant: Participant = {
  ...usual,
  settings: "as queuert-sqlite, without the registry of workers and metrics",
  open: (target) => openWithSqlite(target, { workerRegistry: false }),
};
