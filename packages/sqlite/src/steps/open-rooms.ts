// The room that limits and free slots leave to the types of one acquisition.
import { Gate } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createPausedTypes } from "./read-pauses.ts";
import { createCountPermits, createReadLimits, type StoredLimit } from "./read-limits.ts";

export interface Rooms {
  /** How many jobs of types under limits, or under keys, could still begin. */
  readonly slots: number;
  limitOf(name: string): StoredLimit | undefined;
  /** The end of the pause of a limit; undefined: it is not paused. */
  pausedUntil(limitName: string): number | undefined;
  /** The overall bounds of a limit; undefined without bounds. */
  gateOf(name: string): Gate | undefined;
  /** How many jobs of a type may start; Infinity without a limit. */
  countOf(typeName: string): number;
  /** When a type without room may have some, in milliseconds; Infinity: at the end of an attempt. */
  lookAt(typeName: string): number;
  /** Takes the tokens and the slots of jobs that start without a key. */
  spend(typeName: string, starts: number): void;
  /** Takes the slot of a job that starts under a key. */
  takeSlot(): void;
}

export const createOpenRooms = (
  names: TableNames,
): ((session: Session, slots: number) => Rooms) => {
  const write = `UPDATE ${names.jobLimit} SET back_at_us = ? WHERE name = ?`;
  const readLimits = createReadLimits(names);
  const countPermits = createCountPermits(names);
  const pausedTypes = createPausedTypes(names);
  return (session, slots) => {
    const limits = new Map(readLimits(session, "effective").map((limit) => [limit.name, limit]));
    const gates = new Map<string, Gate>();
    const now = limits.size === 0 ? 0 : session.now();
    let slotsLeft = slots;
    let pauses: ReturnType<typeof pausedTypes> | undefined;
    const gateOf = (name: string): Gate | undefined => {
      const limit = limits.get(name);
      if (limit === undefined || (limit.concurrency === null && limit.rate === null))
        return undefined;
      const known = gates.get(name);
      if (known !== undefined) return known;
      const running = limit.concurrency === null ? 0 : countPermits(session, name, now);
      const gate = new Gate(limit, { running, backAtUs: limit.backAtUs, now }, (backAtUs) => {
        session.run(write, backAtUs, name);
      });
      gates.set(name, gate);
      return gate;
    };
    return {
      get slots() {
        return slotsLeft;
      },
      limitOf: (name) => limits.get(name),
      pausedUntil: (limitName) => {
        pauses ??= pausedTypes(session, session.now());
        return pauses(limitName);
      },
      gateOf,
      countOf: (typeName) => {
        const gate = gateOf(typeName);
        return gate === undefined ? Infinity : Math.min(gate.room, slotsLeft);
      },
      lookAt: (typeName) => {
        const gate = gateOf(typeName);
        return gate === undefined || gate.room > 0 ? Infinity : gate.lookAt(1);
      },
      spend: (typeName, starts) => {
        const gate = gateOf(typeName);
        if (gate === undefined || starts === 0) return;
        slotsLeft -= starts;
        gate.startMany(starts);
      },
      takeSlot: () => {
        slotsLeft--;
      },
    };
  };
};
