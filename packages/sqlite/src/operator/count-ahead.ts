// Due jobs before a job, in the order of acquisition. Each part reads at most `max` entries of the index of pending jobs, so
// scheduled jobs of a higher priority cost no more than that.
import type { JobsAhead, OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

type PlaceRow = readonly [
  typeName: string,
  priority: number,
  scheduledAt: number,
  ordinal: number,
  limitName: string | null,
  limitKey: string | null,
];

/** The jobs of a line are one type without keys, or one key of it. */
const lines = {
  plain: "status = 'pending' AND limit_key IS NULL AND type_name = ?",
  key: "status = 'pending' AND limit_key IS NOT NULL AND type_name = ? AND limit_name = ? AND limit_key = ?",
} as const;

export const countAhead = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["countAhead"]> => {
  const { job } = database.names;
  const place = `
SELECT type_name, priority, scheduled_at, ordinal, limit_name, limit_key FROM ${job} WHERE id = ? AND status = 'pending'`;
  const higher = (line: string): string => `
SELECT count(*) FILTER (WHERE scheduled_at <= ?), count(*) FROM (
  SELECT scheduled_at FROM ${job} WHERE ${line} AND priority > ? LIMIT +?)`;
  const earlier = (line: string): string => `
SELECT count(*) FROM (
  SELECT 1 FROM ${job} WHERE ${line} AND priority = ?
    AND scheduled_at <= ? AND (scheduled_at, ordinal) < (?, ?) LIMIT +?)`;

  return ({ ids, max }) =>
    database.read(undefined, (session) => {
      const now = session.now();
      return ids.map((id): JobsAhead | undefined => {
        const found = session.get<PlaceRow>(place, id);
        if (found === undefined) return undefined;
        const [typeName, priority, scheduledAt, ordinal, limitName, limitKey] = found;
        const line = limitKey === null ? lines.plain : lines.key;
        const own = limitKey === null ? [typeName] : [typeName, limitName, limitKey];
        const [due = 0, looked = 0] =
          session.get<[number, number]>(higher(line), now, ...own, priority, max + 1) ?? [];
        const until = [priority, now, scheduledAt, ordinal, max + 1];
        const [before = 0] = session.get<[number]>(earlier(line), ...own, ...until) ?? [];
        const ahead = Math.min(due + before, max);
        return {
          ahead,
          higherPriority: Math.min(due, ahead),
          isAtLeast: looked > max || due + before > max,
        };
      });
    });
};
