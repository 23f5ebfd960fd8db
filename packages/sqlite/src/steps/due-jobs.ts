// The due jobs of one line, in the order of acquisition. A line is a type without its jobs under keys, or one key of a type.
// Nothing is sorted: the index of the line is in the order of the contract. There is one probe per distinct priority,
// which skips all scheduled jobs of a higher priority at once.
import type { SqliteValue } from "../connection.ts";
import {
  blockerCountOf,
  jobColumnCount,
  jobColumns,
  type JobRow,
  pendingColumns,
  type PendingJob,
  toPendingJob,
  toStateJob,
} from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/** A job to acquire. */
export interface Candidate extends PendingJob {
  /** The worker whose expired lease it is reclaimed from. */
  readonly reclaimedFrom: string | null;
  /** How many tokens its start takes. */
  readonly cost: number;
}

/** The values that name a line: the type, and the limit and the key if there is one. */
export type Line = readonly [typeName: string, limitName?: string, key?: string];

export interface DueJobs {
  /** With `agingMs`, each such time since the due time counts as one priority. */
  find(
    session: Session,
    line: Line,
    at: {
      readonly now: number;
      readonly room: number;
      readonly agingMs: number | null;
      /** Whether a lease of the line may have expired. Default: true. */
      readonly hasExpired?: boolean;
    },
  ): readonly Candidate[];
  /** Visits each distinct priority of the pending jobs, highest first, until a visit returns true. */
  eachPriority(session: Session, line: Line, visit: (priority: number) => boolean): void;
  /** When the next job is due; Infinity if there is none. */
  nextDueAt(session: Session, line: Line, now: number): number;
}

interface Conditions {
  readonly due: string;
  readonly expired: string;
  readonly columns: string;
}

const conditions: Readonly<Record<"plain" | "key", Conditions>> = {
  plain: {
    due: "limit_key IS NULL AND type_name = ?",
    expired: "limit_key IS NULL AND type_name = ?",
    // A job without a key costs 1. A column more in every row takes time.
    columns: pendingColumns,
  },
  key: {
    due: "limit_key IS NOT NULL AND type_name = ? AND limit_name = ? AND limit_key = ?",
    // In the order of the line's values, for an index that begins with the limit.
    expired: "limit_key IS NOT NULL AND +type_name = ? AND limit_name = ? AND limit_key = ?",
    columns: `${pendingColumns}, limit_cost`,
  },
};

const statements = ({ job }: TableNames, kind: keyof typeof conditions) => {
  const pending = `FROM ${job} WHERE status = 'pending' AND ${conditions[kind].due}`;
  const expired = `FROM ${job} WHERE status = 'running' AND ${conditions[kind].expired} AND leased_until <= ?`;
  return {
    firstPriority: `SELECT priority ${pending} ORDER BY priority DESC LIMIT 1`,
    nextPriority: `SELECT priority ${pending} AND priority < ? ORDER BY priority DESC LIMIT 1`,
    due: `
SELECT ${conditions[kind].columns} ${pending} AND priority = ? AND scheduled_at <= ?
ORDER BY scheduled_at, ordinal LIMIT +?`,
    nextDue: `SELECT scheduled_at ${pending} AND priority = ? ORDER BY scheduled_at LIMIT 1`,
    expired: `SELECT ordinal ${expired} ORDER BY priority DESC, scheduled_at, ordinal LIMIT +?`,
    anyExpired: `SELECT 1 ${expired} LIMIT 1`,
    one: `SELECT ${jobColumns()}, limit_cost FROM ${job} WHERE ordinal = ?`,
  };
};

export const createDueJobs = (names: TableNames, kind: keyof typeof conditions): DueJobs => {
  const sql = statements(names, kind);

  const eachPriority: DueJobs["eachPriority"] = (session, line, visit) => {
    const values = line as readonly SqliteValue[];
    let row = session.get<[number]>(sql.firstPriority, ...values);
    while (row !== undefined) {
      if (visit(row[0])) return;
      row = session.get<[number]>(sql.nextPriority, ...values, row[0]);
    }
  };

  const toCandidate = (row: DueRow, typeName: string, priority: number): Candidate => {
    const { job, blockerCount } = toPendingJob(row, typeName, priority);
    return { job, blockerCount, reclaimedFrom: null, cost: row[6] ?? 1 };
  };

  /** Jobs with an expired lease, which are due at their old place. */
  const findExpired = (session: Session, line: readonly SqliteValue[], now: number, room: number) =>
    // A killed fleet leaves thousands of them: whole rows are read only for those that there is room for.
    session.all<[number]>(sql.expired, ...line, now, room).flatMap(([ordinal]): Candidate[] => {
      const row = session.get<JobRow>(sql.one, ordinal);
      if (row === undefined) return [];
      const job = toStateJob(row);
      const cost = (row as readonly unknown[])[jobColumnCount] as number | null;
      const reclaimedFrom = job.leasedBy;
      return [{ job, blockerCount: blockerCountOf(row), reclaimedFrom, cost: cost ?? 1 }];
    });

  return {
    eachPriority,
    find: (session, line, { now, room, agingMs, hasExpired = true }) => {
      const values = line as readonly SqliteValue[];
      const due: Candidate[] = [];
      eachPriority(session, line, (priority) => {
        // Under aging, a job of a low priority may be before one of a high priority.
        const wanted = agingMs === null ? room - due.length : room;
        for (const row of session.all<DueRow>(sql.due, ...values, priority, now, wanted)) {
          due.push(toCandidate(row, line[0], priority));
        }
        return agingMs === null && due.length >= room;
      });
      const expired = hasExpired ? findExpired(session, values, now, room) : [];
      if (expired.length === 0 && agingMs === null) return due;
      return [...due, ...expired].sort(inOrder(agingMs)).slice(0, room);
    },
    nextDueAt: (session, line, now) => {
      const values = line as readonly SqliteValue[];
      if (session.get(sql.anyExpired, ...values, now) !== undefined) return now;
      let next = Infinity;
      eachPriority(session, line, (priority) => {
        const [at = Infinity] = session.get<[number]>(sql.nextDue, ...values, priority) ?? [];
        next = Math.min(next, at);
        return next <= now;
      });
      return next;
    },
  };
};

type DueRow = readonly [
  ordinal: number,
  id: string,
  input: string,
  createdAt: number,
  scheduledAt: number,
  json: string | null,
  cost?: number | null,
];

// Priority, then due time, then creation. Under aging, priority and due time are one number.
const inOrder =
  (agingMs: number | null) =>
  ({ job: left }: Candidate, { job: right }: Candidate): number => {
    const later = left.scheduledAt.getTime() - right.scheduledAt.getTime();
    const higher = right.priority - left.priority;
    const first = agingMs === null ? higher || later : later + higher * agingMs || higher;
    return first || left.ordinal - right.ordinal;
  };
