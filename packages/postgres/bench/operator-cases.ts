// The history that operators read, on beside off. The floor of the registry of workers and of the counts of attempts is a client without them.
// The floor of the history of failed attempts is a store whose routine for it does nothing.
import { readFile } from "node:fs/promises";
import { openClient } from "./client.ts";
import { type Bench, type BenchCase, rateOf, type Side } from "./measure.ts";
import { attemptsOfFailing, drainFailing, drainSingles, startSingles } from "./workers.ts";

const warmUp = 2_000;

const drain =
  (settle: "value" | "callback", workerRegistry: boolean): Side =>
  async (bench) => {
    const count = bench.isQuick ? 5_000 : settle === "value" ? 20_000 : 10_000;
    const client = await openClient(bench, { workerRegistry });
    await startSingles(client, warmUp);
    await drainSingles(client, warmUp, settle);
    await startSingles(client, count);
    return rateOf(count, () => drainSingles(client, count, settle));
  };

/** Processor time of this process for each job, in microseconds: other processes hardly change it. */
const cpuOf =
  (settle: "value" | "callback", workerRegistry: boolean): Side =>
  async (bench) => {
    const count = bench.isQuick ? 5_000 : 20_000;
    const client = await openClient(bench, { workerRegistry });
    await startSingles(client, warmUp);
    await drainSingles(client, warmUp, settle);
    await startSingles(client, count);
    const before = process.cpuUsage();
    await drainSingles(client, count, settle);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };

const positionOf = async ({ pool }: Bench): Promise<number> => {
  const { rows } = await pool.query<{ bytes: string }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes",
  );
  return Number(rows[0]?.bytes);
};

/** Bytes of WAL of one job that succeeds at once, from its acquisition on. */
const walOf =
  (workerRegistry: boolean): Side =>
  async (bench) => {
    const count = bench.isQuick ? 5_000 : 20_000;
    const client = await openClient(bench, { workerRegistry });
    await startSingles(client, count);
    await bench.pool.query("CHECKPOINT");
    const before = await positionOf(bench);
    await drainSingles(client, count, "value");
    return ((await positionOf(bench)) - before) / count;
  };

/** Statements in a minute of an idle worker, as the client sends them: the server also commits for its own processes. */
const idleStatementsOf =
  (workerRegistry: boolean): Side =>
  async (bench) => {
    let sent = 0;
    const { queuert } = await openClient(bench, { workerRegistry, onStatement: () => (sent += 1) });
    const worker = await queuert
      .createWorker()
      .implementJobType({ typeName: "single", process: ({ complete }) => complete(null) })
      .start();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const seconds = bench.isQuick ? 30 : 60;
    const before = sent;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const count = sent - before;
    await worker.stop();
    return (count * 60) / seconds;
  };

const forgetAttempts = `CREATE OR REPLACE FUNCTION queuert.record_attempts(
  p_ids uuid[], p_worker_ids text[], p_acquired_us float8[], p_outcome text,
  p_ended_at timestamptz, p_errors text[], p_next_at timestamptz[])
RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;

/** A measure for each attempt of jobs that fail in all of theirs. */
const failing =
  (measure: (bench: Bench) => Promise<number>, hasHistory: boolean): Side =>
  async (bench) => {
    const count = bench.isQuick ? 2_000 : 10_000;
    const client = await openClient(bench);
    if (!hasHistory) await bench.pool.query(forgetAttempts);
    await startSingles(client, warmUp);
    await drainFailing(client, warmUp);
    await startSingles(client, count);
    await bench.pool.query("CHECKPOINT");
    const before = await measure(bench);
    await drainFailing(client, count);
    const after = await measure(bench);
    await assertHistory(bench, hasHistory ? (count + warmUp) * attemptsOfFailing : 0);
    return (after - before) / (count * attemptsOfFailing);
  };

/** A floor that kept a history would be no floor. */
const assertHistory = async ({ pool }: Bench, expected: number): Promise<void> => {
  const { rows } = await pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM queuert.job_attempt",
  );
  if (rows[0]?.count !== expected) {
    throw new Error(`${rows[0]?.count} attempts were kept, not ${expected}`);
  }
};

/** Processor time of the server's processes for this database, in microseconds. Linux. */
const serverCpu = async ({ pool }: Bench): Promise<number> => {
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database()",
  );
  const times = await Promise.all(
    rows.map(async ({ pid }) => {
      const text = await readFile(`/proc/${pid}/schedstat`, "utf8");
      return Number(text.split(" ")[0]) / 1_000;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
};

const clientCpu = async (): Promise<number> => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

export const operatorCases: readonly BenchCase[] = [
  {
    ...{ name: "registry-value", unit: "jobs/s" },
    ...{ floor: drain("value", false), ours: drain("value", true) },
  },
  {
    ...{ name: "registry-callback", unit: "jobs/s" },
    ...{ floor: drain("callback", false), ours: drain("callback", true) },
  },
  {
    ...{ name: "registry-cpu-value", unit: "µs/job" },
    ...{ floor: cpuOf("value", false), ours: cpuOf("value", true) },
  },
  {
    ...{ name: "registry-cpu-callback", unit: "µs/job" },
    ...{ floor: cpuOf("callback", false), ours: cpuOf("callback", true) },
  },
  {
    ...{ name: "registry-wal", unit: "bytes/job" },
    ...{ floor: walOf(false), ours: walOf(true) },
  },
  {
    ...{ name: "registry-idle", unit: "statements/min" },
    ...{ floor: idleStatementsOf(false), ours: idleStatementsOf(true) },
  },
  ...(
    [
      ["failing-cpu-server", "µs/attempt", serverCpu],
      ["failing-cpu-client", "µs/attempt", clientCpu],
      ["failing-wal", "bytes/attempt", positionOf],
    ] as const
  ).map(([name, unit, measure]) => ({
    ...{ name, unit },
    ...{ floor: failing(measure, false), ours: failing(measure, true) },
  })),
];
