import type { FillCounts, Target } from "../participant.ts";
import { withPgClient } from "../postgres-server.ts";

// Ids that sort by time, like those of the library: random ones would spread over the index and slow everything down.
const idOf = (number: string): string =>
  `(lpad(to_hex(1700000000000 + ${number}), 12, '0') || '7' || substr(md5(${number}::text), 1, 3) || '8'
    || substr(md5(${number}::text), 4, 15))::uuid`;

/** Rows as the adapter leaves them. Blocked jobs wait for the first of the scheduled ones. */
export const fillQueuertPostgres = async (target: Target, counts: FillCounts): Promise<void> => {
  const { finished, scheduled, blocked, otherType } = counts;
  const insert = (
    offset: number,
    count: number,
    columns: string,
    values: string,
    type = "single",
  ): string => `
    INSERT INTO queuert.job (id, sequence_id, root_sequence_id, type_name, sequence_type_name,
      sequence_created_at, created_at, scheduled_at, position, priority, on_blocker_failure, input, ${columns})
    SELECT id, id, id, '${type}', '${type}', due, due, due, 0, 0, 'wait', '{"at":0,"text":"${"x".repeat(70)}"}', ${values}
    FROM (SELECT ${idOf("n")} AS id, n, clock_timestamp() - interval '1 hour' AS due
      FROM generate_series(${offset + 1}, ${offset + count}) AS n) AS numbered`;
  await withPgClient(target.url, async (client) => {
    await client.query(
      insert(
        0,
        finished,
        "status, sequence_outcome, attempt, lease_version, last_attempt_at, finished_at, completed_by, output",
        "'completed', 'completed', 1, 1, due, due, 'worker', 'null'",
      ),
    );
    // Half of them have a higher priority: they stand in front of the due jobs.
    await client.query(
      `${insert(finished, scheduled, "status", "'open'")};
       UPDATE queuert.job SET scheduled_at = clock_timestamp() + interval '1 day', priority = lease_version + 1
       WHERE status = 'open' AND ordinal % 2 = 0;
       UPDATE queuert.job SET scheduled_at = clock_timestamp() + interval '1 day'
       WHERE status = 'open' AND ordinal % 2 = 1;
       INSERT INTO queuert.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
       SELECT id, type_name, priority, scheduled_at, ordinal, false FROM queuert.job
       WHERE status = 'open'`,
    );
    if (blocked > 0) {
      await client.query(
        `${insert(finished + scheduled, blocked, "status, set_aside, incomplete_blockers", "'blocked', 'blocked', 1")};
        INSERT INTO queuert.job_blocker (job_id, blocker_sequence_id, index)
        SELECT id, (SELECT job_id FROM queuert.ready LIMIT 1), 0
        FROM queuert.job WHERE status = 'blocked'`,
      );
    }
    await client.query(
      `${insert(finished + scheduled + blocked, otherType, "status", "'open'", "other")};
       INSERT INTO queuert.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
       SELECT id, type_name, priority, scheduled_at, ordinal, true FROM queuert.job
       WHERE status = 'open' AND type_name = 'other'`,
    );
    await client.query("VACUUM (ANALYZE)");
  });
};
