// Facts of the servers that endanger jobs, or slow them down, and remains in the collections. A command that the user of
// the connection may not run is a note: the others still run.
import { duration, type OperatorStore, type StoreFinding } from "queuert/internal";
import type { Database } from "../database.ts";
import { codeOf, isUnauthorized } from "../driver-errors.ts";
import { within } from "../store.ts";
import { type MemberSet, setFindings } from "./replica-set-health.ts";

type Findings = readonly StoreFinding[];

export const checkHealth =
  (db: Database): NonNullable<OperatorStore["checkHealth"]> =>
  async ({ longTransactionMs, isThorough, timeoutMs }) => {
    const found: Findings[] = [
      await ofAdmin(db, { replSetGetStatus: 1 }, (reply) => setFindings(reply as MemberSet)),
      await ofAdmin(db, { serverStatus: 1 }, (reply) => engineFindings(reply as ServerStatus)),
      await ofAdmin(db, openTransactions(longTransactionMs), (reply) =>
        transactionFindings(reply as OpenTransactions),
      ),
      await staleMarkers(db, timeoutMs),
      await staleCascades(db, timeoutMs),
      ...(isThorough ? [await orphans(db, timeoutMs)] : []),
    ];
    return oneNote(found.flat());
  };

/** The findings in the reply of a command; a note if it may not be run. */
const ofAdmin = async (
  db: Database,
  command: object,
  read: (reply: object) => Findings,
): Promise<Findings> => {
  try {
    const reply = await db.administer(command);
    return reply === null ? [note] : read(reply);
  } catch (error) {
    if (isUnauthorized(error)) return [note];
    // A router has no members, and a managed service leaves out some commands.
    if (missingCommands.has(codeOf(error))) return [];
    throw error;
  }
};

/** CommandNotFound, NoReplicationEnabled, AtlasError, CommandNotSupported. */
const missingCommands: ReadonlySet<unknown> = new Set([59, 76, 8000, 115]);

const note: StoreFinding = {
  level: "note",
  text: "the state of the servers cannot be seen: grant this user clusterMonitor to check members, lag and long transactions",
};

/** One is enough. */
const oneNote = (found: Findings): Findings => [...new Set(found)];

interface ServerStatus {
  readonly storageEngine?: { readonly name?: string; readonly persistent?: boolean };
}

const engineFindings = ({ storageEngine }: ServerStatus): Findings =>
  storageEngine?.persistent === false
    ? [
        {
          level: "fail",
          text: `the storage engine ${storageEngine.name} keeps nothing over a restart: use WiredTiger`,
        },
      ]
    : [];

const openTransactions = (longMs: number): object => ({
  aggregate: 1,
  pipeline: [
    { $currentOp: { allUsers: true, idleSessions: true } },
    { $match: { "transaction.timeOpenMicros": { $gt: Math.round(longMs * 1_000) } } },
    { $sort: { "transaction.timeOpenMicros": -1 } },
    { $limit: 5 },
    { $project: { appName: 1, client: 1, "transaction.timeOpenMicros": 1 } },
  ],
  cursor: {},
});

interface OpenTransactions {
  readonly cursor: {
    readonly firstBatch: readonly {
      readonly appName?: string;
      readonly client?: string;
      readonly transaction: { readonly timeOpenMicros: number };
    }[];
  };
}

const transactionFindings = ({ cursor }: OpenTransactions): Findings =>
  cursor.firstBatch.map(({ appName = "", client = "no client", transaction }) => ({
    level: "warn",
    text:
      `a transaction of "${appName}" (${client}) has been open for ${duration(Number(transaction.timeOpenMicros) / 1_000)}: ` +
      "writes to its documents wait, and the server keeps its snapshot",
  }));

const dayMs = 86_400_000;

/** A TTL index removes them a day after they were written. */
const staleMarkers = async ({ waits }: Database, timeoutMs?: number): Promise<Findings> => {
  const [oldest] = await waits.aggregate<{ ageMs: number }>(within(timeoutMs), [
    { $match: { at: { $gte: new Date(0) } } },
    { $sort: { at: 1 } },
    { $limit: 1 },
    { $project: { _id: 0, ageMs: { $subtract: ["$$NOW", "$at"] } } },
  ]);
  if (oldest === undefined || oldest.ageMs < 2 * dayMs) return [];
  const text = `markers of ${duration(oldest.ageMs)} ago are still stored: the TTL monitor of the server does not run; set ttlMonitorEnabled`;
  return [{ level: "warn", text }];
};

const cascadeMs = 10 * 60_000;

/** Any worker fails the dependants of a failed job within its reclaim interval. */
const staleCascades = async ({ jobs }: Database, timeoutMs?: number): Promise<Findings> => {
  const [oldest] = await jobs.aggregate<{ ageMs: number }>(within(timeoutMs), [
    { $match: { cascade: true, finishedAt: { $gte: new Date(0) } } },
    { $sort: { finishedAt: 1 } },
    { $limit: 1 },
    { $project: { _id: 0, ageMs: { $subtract: ["$$NOW", "$finishedAt"] } } },
  ]);
  if (oldest === undefined || oldest.ageMs < cascadeMs) return [];
  const text = `the dependants of a job that failed ${duration(oldest.ageMs)} ago have not failed with it: start a worker`;
  return [{ level: "fail", text }];
};

const orphansMax = 10_000;

/** Blocked jobs that wait for a sequence that does not exist: its document was deleted by hand, or a backup lacks it. */
const orphans = async (db: Database, timeoutMs?: number): Promise<Findings> => {
  const scope = within(timeoutMs);
  const waiting = await db.jobs.find(
    scope,
    { status: "blocked", typeName: { $gte: "" } },
    { projection: { openBlockers: 1 }, limit: orphansMax },
  );
  const ids = [...new Set(waiting.flatMap(({ openBlockers = [] }) => openBlockers))];
  const present = await db.jobs.find(scope, { _id: { $in: ids } }, { projection: { _id: 1 } });
  const there = new Set(present.map(({ _id }) => _id));
  const count = waiting.filter(({ openBlockers = [] }) =>
    openBlockers.some((id) => !there.has(id)),
  ).length;
  if (count === 0) return [];
  const text = `${count} blocked jobs wait for a sequence that does not exist: delete these jobs, and start them again`;
  return [{ level: "fail", text }];
};
