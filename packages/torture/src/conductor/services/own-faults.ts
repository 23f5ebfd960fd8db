// Faults of servers that more than one store has.
import { setTimeout as sleep } from "node:timers/promises";
import { slowDownSyncs, type ServerControl } from "@queuert/test-services";
import type { OwnFaults } from "./services.ts";

/** The server is brought back to a copy of its data that is `durationMs` old. */
export const restoring = (server: ServerControl, now: () => number): OwnFaults => ({
  restore: async (durationMs) => {
    const to = now();
    const bringBack = await server.backUp();
    await sleep(durationMs);
    await bringBack();
    return { to, at: now() };
  },
});

/** Each confirmation of the disk takes `amount` milliseconds longer. */
export const syncingSlowly = (pids: () => readonly number[]): OwnFaults => ({
  slowSync: async (durationMs, amount) => {
    const undo = slowDownSyncs(pids(), amount);
    await sleep(durationMs);
    await undo();
  },
});
