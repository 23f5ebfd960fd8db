import type { StateDeduplication, StateJob } from "queuert/internal";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

/**
 * The first job of the youngest sequence that stands for a key. There is one writer, so whoever looks here and then
 * inserts has nobody in between. `deduplication_open` is 1 on the first job as long as its sequence is unfinished.
 */
export const findDeduplicated = (
  names: TableNames,
): ((
  session: Session,
  typeName: string,
  deduplication: StateDeduplication,
  now: number,
) => StateJob | undefined) => {
  const select = (condition: string): string => `
SELECT ${jobColumns()} FROM ${names.job}
WHERE type_name = ? AND deduplication_key = ? AND ${condition} AND created_at >= ?
ORDER BY ordinal DESC LIMIT 1`;
  const unfinished = select("deduplication_open = 1");
  const any = select("deduplication_key IS NOT NULL");

  return (session, typeName, { key, strategy, windowMs }, now) => {
    const createdFrom = windowMs === null ? Number.MIN_SAFE_INTEGER : Math.floor(now - windowMs);
    const row = session.get<JobRow>(
      strategy === "all" ? any : unfinished,
      typeName,
      key,
      Math.max(createdFrom, Number.MIN_SAFE_INTEGER),
    );
    return row === undefined ? undefined : toStateJob(row);
  };
};
