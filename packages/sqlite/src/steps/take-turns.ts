// The jobs of a type under keys. The keys stand in a line: each starts as many jobs as its weight, and then the next key does. A key
// that can start nothing leaves the line until a time, or until one of its attempts ends (migration 0009).
import { type BatchCondition, fullLimitLookMs } from "queuert/internal";
import { toInstant } from "../instants.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import type { Rooms } from "./open-rooms.ts";
import { createReadLine } from "./read-line.ts";
import { createTakeBatch } from "./take-batch.ts";
import { createTakeTurn, overallGates, type Taking } from "./take-turn.ts";
import { keptBack } from "./write-place.ts";

/** When to look at the keys of a type again. */
export interface KeyLook {
  readonly at: number;
  readonly isLimited: boolean;
}

export interface Turns {
  /** Whether jobs of the type stand under keys. */
  has(session: Session, typeName: string): boolean;
  /** Takes up to `room` jobs. Returns how many. With `batch` they are of one key. */
  take(taking: Taking, typeName: string, room: number, batch?: BatchCondition): number;
  look(session: Session, typeName: string, rooms: Rooms, now: number): KeyLook;
}

/** After so many reads of the line the next acquisition goes on, so that none has the writer for long. */
const roundsMax = 100;

const statements = ({ limitTurn, limitTurnLast }: TableNames) => ({
  // The condition lets the statement read the table by its key.
  any: `SELECT 1 FROM ${limitTurn} WHERE limit_name >= '' LIMIT 1`,
  anyOfType: `SELECT 1 FROM ${limitTurn} WHERE type_name = ? LIMIT 1`,
  enterLine: `
UPDATE ${limitTurn} SET look_at = NULL, kept_back = 0 WHERE type_name = ? AND look_at <= ?`,
  nextLimit: `
SELECT limit_name FROM ${limitTurn} WHERE type_name = ? AND look_at IS NULL AND limit_name > ?
ORDER BY limit_name LIMIT 1`,
  lastTurn: `SELECT last FROM ${limitTurnLast}`,
  writeLastTurn: `UPDATE ${limitTurnLast} SET last = ?`,
  nextLook: `
SELECT look_at FROM ${limitTurn} WHERE type_name = ? AND look_at IS NOT NULL ORDER BY look_at LIMIT 1`,
  keptBack: `SELECT min(kept_back) FROM ${limitTurn} WHERE type_name = ? AND kept_back > 0`,
});

export const createTurns = (names: TableNames): Turns => {
  const sql = statements(names);
  const takeTurn = createTakeTurn(names);
  const readLine = createReadLine(names);
  /** Gives the next turns to the keys that start jobs in `take`. New keys have the turn before them. */
  const inTurns = (session: Session, take: (nextTurn: () => number) => number): number => {
    const [last] = session.get<[number]>(sql.lastTurn) ?? [0];
    let turn = last + 1;
    const taken = take(() => ++turn);
    if (taken > 0) session.run(sql.writeLastTurn, turn);
    return taken;
  };
  const takeBatch = createTakeBatch({ readLine, takeTurn });

  /** Gives each key of a limit its turn, again and again, while there is room. Returns how many jobs were taken. */
  const takeRounds = (
    taking: Taking,
    typeName: string,
    limitName: string,
    room: number,
  ): number => {
    const { session, rooms, now } = taking;
    const overall = overallGates(rooms, typeName, limitName);
    const hasRoom = (): boolean => rooms.slots > 0 && overall.every((gate) => gate.admits(1));
    return inTurns(session, (nextTurn) => {
      let taken = 0;
      for (let read = 0; read < roundsMax && taken < room; read++) {
        const before = taken;
        const keys = readLine(session, [typeName, limitName], room, now);
        for (const key of keys) {
          if (taken >= room || !hasRoom()) return taken;
          taken += takeTurn(taking, key, { room: room - taken, turn: nextTurn() });
        }
        // Keys that start nothing have left the line: others may stand behind them.
        if (taken === before && keys.length < room) return taken;
      }
      return taken;
    });
  };

  return {
    has: (session, typeName) =>
      session.get(sql.any) !== undefined && session.get(sql.anyOfType, typeName) !== undefined,
    take: (taking, typeName, room, batch) => {
      const { session, now } = taking;
      session.run(sql.enterLine, typeName, now);
      let taken = 0;
      for (const limitName of limitsInLine(session, sql.nextLimit, typeName)) {
        if (batch === undefined) taken += takeRounds(taking, typeName, limitName, room - taken);
        else if (taken === 0) {
          const of = [typeName, limitName] as const;
          taken = inTurns(session, (nextTurn) =>
            takeBatch(taking, of, { room, turn: nextTurn(), batch }),
          );
        }
      }
      return taken;
    },
    look: (session, typeName, rooms, now) => {
      let at = session.get<[number]>(sql.nextLook, typeName)?.[0] ?? Infinity;
      // A pause without an end.
      if (at === toInstant(Infinity)) at = Infinity;
      const [why] = session.get<[number | null]>(sql.keptBack, typeName) ?? [null];
      let isLimited = why !== null;
      // Another process may end the attempt that fills the key.
      if (why === keptBack.full) at = Math.min(at, now + fullLimitLookMs);
      for (const limitName of limitsInLine(session, sql.nextLimit, typeName)) {
        const closed = overallGates(rooms, typeName, limitName).find((gate) => !gate.admits(1));
        if (rooms.slots > 0 && closed === undefined) return { at: now, isLimited };
        isLimited = true;
        // Without a slot there is no time to wait for: the end of an attempt is the reason to look again.
        if (closed !== undefined) at = Math.min(at, closed.lookAt(1));
      }
      return { at, isLimited };
    },
  };
};

/** The limits whose keys are in the line of a type: usually one. */
const limitsInLine = (session: Session, nextLimit: string, typeName: string): readonly string[] => {
  const found: string[] = [];
  for (let last = ""; ;) {
    const [name] = session.get<[string]>(nextLimit, typeName, last) ?? [];
    if (name === undefined) return found;
    found.push(name);
    last = name;
  }
};
