// A long transaction of another client holds a snapshot. The index entries of jobs acquired since
// then cannot be removed, so every probe for due jobs walks over them. When
// probes become slow, each begins where the last one ended. Jobs that arrive behind the mark are
// seen by the next full probe. It follows after a second, or after twenty times the duration of the
// last full probe. Walking over dead entries then takes a twentieth of the time at most. In an ordinary
// store no probe is slow, and every probe begins at the start.
//
// Beside a held snapshot, an acquisition costs the server 10 to 13 µs a job after 60,000 jobs, and
// more with each further job. With marks it stays at 4 to 6 µs, as without the snapshot.
import type { AcquiredRow } from "./acquire-jobs.ts";

interface Mark {
  readonly typeName: string;
  readonly priority: number;
  /** Microseconds since 1970: exact in a double, and the server's own resolution. */
  readonly scheduledAtUs: number;
  readonly ordinal: number;
}

/** The place of an acquired job in the order. */
export interface TakenJob extends Pick<AcquiredRow, "scheduledAtUs"> {
  /** It comes from the queue of a key, so it says nothing about the order of the others. */
  readonly isUnderKey?: boolean | undefined;
  readonly job: Pick<AcquiredRow["job"], "typeName" | "priority" | "ordinal">;
}

/** Where to begin. */
export interface Start {
  /** From the beginning: without marks. */
  readonly isFull: boolean;
  readonly marks: readonly Mark[];
}

/** When the server began to probe, and how long that took. */
export interface Probe {
  readonly atUs: number;
  readonly tookMs: number;
}

export interface LowWaterMarks {
  current(types: readonly { readonly typeName: string }[]): Start;
  /** The times of jobs were changed: the next probe begins at the start. */
  forget(): void;
  /** Moves the marks after an acquisition of up to `limit` jobs. */
  learn(start: Start, rows: readonly TakenJob[], limit: number, probe: Probe): void;
}

const fullProbeIntervalMinMs = 1_000;
const fullProbeIntervalMaxMs = 30_000;
const fullProbeShare = 1 / 20;
// A hundred jobs are found in a fifth of a millisecond. A probe that is slow twice in a row walks
// over dead entries.
const slowProbeMs = 1;
const slowProbePerJobMs = 0.01;
const slowProbesMin = 2;
const backlogMin = 50;

export const createLowWaterMarks = (now: () => number = () => performance.now()): LowWaterMarks => {
  const marks = new Map<string, Mark>();
  let fullProbeAt = 0;
  let slowCount = 0;

  /** Whether it pays to leave jobs behind for a while: there is a backlog, and probes are slow. */
  const isSlow = (count: number, limit: number, { tookMs }: Probe): boolean =>
    count >= Math.max(backlogMin, limit) && tookMs >= slowProbeMs + slowProbePerJobMs * count;

  return {
    current: (types) => {
      if (marks.size === 0 || now() >= fullProbeAt) return fullProbe;
      const names = new Set(types.map(({ typeName }) => typeName));
      return {
        isFull: false,
        marks: [...marks.values()].filter(({ typeName }) => names.has(typeName)),
      };
    },
    forget: () => marks.clear(),
    learn: ({ isFull }, rows, limit, probe) => {
      if (isFull) {
        const wasMarked = marks.size > 0;
        marks.clear();
        slowCount = isSlow(rows.length, limit, probe) ? slowCount + 1 : 0;
        // One slow probe may be a busy machine. While marks are in use, each full probe decides anew.
        if (slowCount < (wasMarked ? 1 : slowProbesMin)) return;
        const restMs = probe.tookMs / fullProbeShare;
        fullProbeAt =
          now() + Math.min(Math.max(restMs, fullProbeIntervalMinMs), fullProbeIntervalMaxMs);
      } else if (rows.length < limit) {
        // Short: the other due jobs may lie behind the marks.
        marks.clear();
        return;
      }
      for (const row of rows) {
        if (row.isUnderKey !== true) raise(marks, toMark(row));
      }
    },
  };
};

const fullProbe: Start = { isFull: true, marks: [] };

const toMark = ({ job, scheduledAtUs }: TakenJob): Mark => ({
  typeName: job.typeName,
  priority: job.priority,
  scheduledAtUs,
  ordinal: job.ordinal,
});

const raise = (marks: Map<string, Mark>, mark: Mark): void => {
  const key = `${mark.priority} ${mark.typeName}`;
  const old = marks.get(key);
  const isHigher =
    old === undefined ||
    mark.scheduledAtUs > old.scheduledAtUs ||
    (mark.scheduledAtUs === old.scheduledAtUs && mark.ordinal > old.ordinal);
  if (isHigher) marks.set(key, mark);
};
