// One turn of a key: it starts as many jobs as its weight. Without room for all of them it keeps its place, and goes on in the next
// acquisition. A key that can start no more leaves the line until a time, or until one of its attempts ends.
import { Gate } from "queuert/internal";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createBatchOfLineAt } from "./batch-at.ts";
import { type Candidate, createDueJobs } from "./due-jobs.ts";
import type { Rooms } from "./open-rooms.ts";
import { createLimitKeyReads, effectiveBounds } from "./read-limit-keys.ts";
import type { KeyInLine } from "./read-line.ts";
import {
  type CountOfTurn,
  createWritePlace,
  keptBack,
  type Place,
  type Turn,
} from "./write-place.ts";

/** One call of `acquireJobs`. */
export interface Taking {
  readonly session: Session;
  readonly rooms: Rooms;
  readonly now: number;
  /** The end of the leases that it writes. */
  readonly leasedUntil: number;
  /** Writes an acquired job. */
  readonly write: (candidate: Candidate) => void;
}

export type TakeTurn = (taking: Taking, key: KeyInLine, turn: Turn) => number;

/** The overall bounds that the jobs of a type under a limit pass. */
export const overallGates = (rooms: Rooms, typeName: string, limitName: string): readonly Gate[] =>
  [...new Set([typeName, limitName])].flatMap((name) => rooms.gateOf(name) ?? []);

/** The permits and tokens of a key, and the end of its pause. */
const createGateOfKey = (names: TableNames) => {
  const keys = createLimitKeyReads(names);
  const saveTokens = `
INSERT INTO ${names.limitKey} (limit_name, key, back_at_us) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET back_at_us = excluded.back_at_us`;
  return (
    { session, rooms, now }: Taking,
    { line: [, limitName = "", key = ""], stored, firstLeaseEnd }: KeyInLine,
  ): { readonly gate: Gate; readonly pausedUntil: number | null } => {
    const bounds = effectiveBounds(rooms.limitOf(limitName), stored);
    const runs = bounds.concurrency !== null && firstLeaseEnd < Infinity;
    const running = runs ? keys.permits(session, limitName, key, now) : 0;
    const use = { running, backAtUs: stored.backAtUs, now };
    const gate = new Gate(bounds, use, (backAtUs) =>
      session.run(saveTokens, limitName, key, backAtUs),
    );
    const ownEnd = stored.pause === null ? 0 : (stored.pause.until ?? Infinity);
    const end = Math.max(ownEnd, rooms.pausedUntil(limitName) ?? 0);
    return { gate, pausedUntil: end === 0 ? null : end };
  };
};

const inLine: Place = { kind: "in line" };

/** Without an expired lease, the first to end is known: it was read with the line, or has just been written. */
const createFirstLeaseEnd = ({ job }: TableNames) => {
  const select = `
SELECT min(leased_until) FROM ${job}
WHERE status = 'running' AND limit_key IS NOT NULL AND limit_name = ? AND limit_key = ?`;
  return ({ session, now, leasedUntil }: Taking, key: KeyInLine, started: number): number => {
    if (key.firstLeaseEnd > now)
      return started > 0 ? Math.min(key.firstLeaseEnd, leasedUntil) : key.firstLeaseEnd;
    const [, limitName = "", name = ""] = key.line;
    return session.get<[number | null]>(select, limitName, name)?.[0] ?? Infinity;
  };
};

/** Returns how many jobs a key has started in its turn. */
export const createTakeTurn = (names: TableNames): TakeTurn => {
  const writePlace = createWritePlace(names);
  const due = createDueJobs(names, "key");
  const gateOfKey = createGateOfKey(names);
  const batchAt = createBatchOfLineAt(names, due, "key");

  const firstLeaseEnd = createFirstLeaseEnd(names);

  const placeAfter = (
    taking: Taking,
    key: KeyInLine,
    { room, batch }: Turn,
    count: CountOfTurn,
  ): Place => {
    const { session, rooms, now } = taking;
    const { line } = key;
    const [typeName, limitName = ""] = line;
    const { gate, pausedUntil } = gateOfKey(taking, key);
    if (pausedUntil !== null) return { kind: "away", until: pausedUntil, why: keptBack.no };
    const leaseEnd = (): number => firstLeaseEnd(taking, key, count.started);
    /** A key whose batch is not ripe leaves the line. A new job brings it back. */
    const batchPlace = (): Place | undefined => {
      if (batch === undefined) return undefined;
      const ripeAt = batchAt(session, line, batch, now);
      if (ripeAt <= now || ripeAt === Infinity) return undefined;
      return { kind: "away", until: Math.min(ripeAt, leaseEnd()), why: keptBack.no };
    };
    /** When there may be the tokens for a job of this cost. A job of a lesser cost may be before it once its lease has expired. */
    const withoutTokens = (of: Gate, cost: number): Place => {
      const until = Math.min(of.lookAt(cost), Math.max(of.lookAt(1), leaseEnd()));
      return { kind: "away", until, why: keptBack.withoutTokens };
    };
    const unripe = batchPlace();
    if (unripe !== undefined) return unripe;
    const agingMs = rooms.limitOf(limitName)?.agingMs ?? null;
    if (batch === undefined) {
      count.used = key.used % gate.weight;
      count.left = gate.weight - count.used;
    }
    const most = Math.min(count.left, room, rooms.slots);
    const hasExpired = key.firstLeaseEnd <= now;
    // One more: whether the key has further due jobs decides where it stands.
    const found = due.find(session, line, { now, room: most + 1, agingMs, hasExpired });
    const overall = overallGates(rooms, typeName, limitName);
    for (const candidate of found) {
      const { cost } = candidate;
      if (!gate.admits(cost)) {
        if (!gate.isFull) return withoutTokens(gate, cost);
        return { kind: "away", until: leaseEnd(), why: keptBack.full };
      }
      const closed = overall.find((one) => !one.admits(cost));
      if (closed !== undefined) {
        // Only this key waits for so many tokens: another may start a job of a lesser cost.
        return closed.admits(1) ? withoutTokens(closed, cost) : inLine;
      }
      if (count.started >= most) return batchPlace() ?? inLine;
      taking.write(candidate);
      for (const one of [gate, ...overall]) one.start(cost);
      rooms.takeSlot();
      count.started++;
    }
    // A key without due jobs. If jobs of it run, their leases may expire, and they are due again.
    const next = Math.min(due.nextDueAt(session, line, now), leaseEnd());
    return next === Infinity
      ? { kind: "forgotten" }
      : { kind: "away", until: next, why: keptBack.no };
  };

  return (taking, key, turn) => {
    const count = { started: 0, used: 0, left: Infinity };
    const place = placeAfter(taking, key, turn, count);
    writePlace(taking.session, key, turn, count, place);
    return count.started;
  };
};
