import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import type BetterSqlite3 from "better-sqlite3";
import { createUserRows, inspectSqlite, openFile, SqliteDriver } from "../sqlite-file.ts";
import type { FillCounts, Opened, Participant, Target } from "../participant.ts";
import { limitedWorkloads } from "./limits.ts";
import { openQueuert, type QueuertParts } from "./open-queuert.ts";

type Driver = new (
  filename: string,
  options?: BetterSqlite3.Options,
) => InstanceType<typeof SqliteDriver>;

const openAdapter = async (filename: string, driver: Driver = SqliteDriver) => {
  const stateProvider = await createBetterSqlite3Provider({
    filename,
    synchronous: "NORMAL",
    driver,
  });
  return { stateProvider, stateAdapter: await createSqliteStateAdapter({ stateProvider }) };
};

const types =
  "type_name IN ('single', 'keyed', 'step-1', 'step-2', 'step-3', 'step-4', 'step-5', 'part', 'whole')";
const hourMs = 3_600_000;
const uuid = `lower(printf('%012x', 1700000000000 + n) || '-7000-8000-' || hex(randomblob(6)))`;

/** Rows as the adapter leaves them. Blocked jobs wait for the first of the scheduled ones. */
const fill = async ({ url }: Target, counts: FillCounts): Promise<void> => {
  const { finished, scheduled, blocked, otherType } = counts;
  const db = openFile(url);
  const now = Date.now();
  const insert = (
    from: number,
    count: number,
    columns: string,
    values: string,
    type = "single",
  ): void => {
    if (count === 0) return;
    db.exec(`
      WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${from + count - 1})
      INSERT INTO queuert_job (id, sequence_id, root_sequence_id, type_name, sequence_type_name, sequence_created_at,
        created_at, position, on_blocker_failure, input, ${columns})
      SELECT id, id, id, '${type}', '${type}', ${now}, ${now}, 0, 'wait', '{"at":0,"text":"${"x".repeat(70)}"}', ${values}
      FROM (SELECT n, ${uuid} AS id FROM numbers)`);
  };
  insert(
    0,
    finished,
    "status, priority, scheduled_at, attempt, lease_version, last_attempt_at, finished_at, completed_by, output",
    `'completed', 0, ${now}, 1, 1, ${now}, ${now}, 'worker', 'null'`,
  );
  // Half of them have a higher priority: they stand in front of the due jobs.
  insert(
    finished,
    scheduled,
    "status, priority, scheduled_at",
    `'pending', n % 2, ${now + 24 * hourMs}`,
  );
  if (blocked > 0) {
    insert(
      finished + scheduled,
      blocked,
      "status, priority, scheduled_at, blocker_count, incomplete_blocker_count",
      `'blocked', 0, ${now}, 1, 1`,
    );
    db.exec(`INSERT INTO queuert_job_blocker (job_id, place, blocker_sequence_id)
      SELECT id, 0, (SELECT id FROM queuert_job WHERE status = 'pending' LIMIT 1)
      FROM queuert_job WHERE status = 'blocked'`);
  }
  insert(
    finished + scheduled + blocked,
    otherType,
    "status, priority, scheduled_at",
    `'pending', 0, ${now}`,
    "other",
  );
  db.exec("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
};

export interface SqliteOptions extends Pick<QueuertParts<object, object>, "workerRegistry"> {
  readonly driver?: Driver;
}

export const openWithSqlite = async (
  { url }: Target,
  { driver, ...options }: SqliteOptions = {},
): Promise<Opened> => {
  const { stateProvider, stateAdapter } = await openAdapter(url, driver);
  let write: { run(text: string): unknown } | undefined;
  return openQueuert({
    stateAdapter,
    // Prepared once, as an application and the other participants do.
    writeRow: ({ client }) => {
      write ??= client.prepare("INSERT INTO user_row (text) VALUES (?)");
      return write.run("done");
    },
    ...options,
    close: () => stateProvider.close(),
  });
};

export const participant: Participant = {
  store: "sqlite",
  settings: "better-sqlite3, WAL, synchronous=NORMAL, no notify adapter",
  workloads: ["value", "callback", "chain", "fan-in", "failing", ...limitedWorkloads],
  sameProcessOnly: true,
  prepare: async (target) => {
    const { stateProvider } = await openAdapter(target.url);
    await stateProvider.close();
    createUserRows(target);
  },
  open: (target) => openWithSqlite(target),
  inspect: async (target) =>
    inspectSqlite(target, [
      "queuert_job WHERE status = 'blocked' AND type_name = 'whole'",
      `queuert_job WHERE status = 'pending' AND ${types} AND priority = 0 AND scheduled_at <= unixepoch('subsec') * 1000`,
      `queuert_job WHERE status = 'running' AND ${types}`,
    ]),
  fill,
};
