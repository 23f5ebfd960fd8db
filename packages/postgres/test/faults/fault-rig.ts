// A server to harm and a client of it, for each test of a file. Two things are checked after every harm: each job was done
// once, and no rejection was unhandled.
import { startPostgres, type PostgresService } from "@queuert/test-services/postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { createDoneTable, openClient, startSurely, type StepClient, workOnSteps } from "./steps.ts";

// A crash and 200 durable jobs take 25 s on a machine with eight times as much to do as it has cores.
const deadlineMs = 100_000;

export interface FaultRig {
  readonly server: PostgresService;
  readonly url: string;
  /** Its own way to the server, past the connections that a test breaks. */
  readonly client: StepClient;
  /** Run after the test, the last first. */
  readonly endings: (() => Promise<unknown>)[];
  startWorker(with_?: StepClient, concurrency?: number): Promise<void>;
  startMany(count: number, mode?: string): Promise<unknown>;
  /** Waits until every job is done and checks that each has left its rows; answers for how long it took. */
  expectEachOnce(count: number, rowsEach?: number): Promise<void>;
}

/** Registers the hooks of a file. */
export const useFaultRig = (): FaultRig => {
  let server: PostgresService | undefined;
  let url = "";
  let client: StepClient | undefined;
  const unhandled: unknown[] = [];
  const remember = (error: unknown): void => void unhandled.push(error);
  const endings: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    // Durable commits are under test: with commits acknowledged early, a crash would lose some.
    server = await startPostgres({ exclusive: true, durability: "default" });
    process.on("unhandledRejection", remember);
  });
  afterAll(async () => {
    process.off("unhandledRejection", remember);
    await server?.stop();
  });
  beforeEach(async () => {
    ({ url } = await rig.server.createDatabase());
    client = await openClient(url);
    await client.stateAdapter.migrateToLatest();
    await createDoneTable(client.pool);
  });
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
    await client?.close();
    expect(unhandled).toEqual([]);
  });
  const rig: FaultRig = {
    get server() {
      return there(server);
    },
    get url() {
      return url;
    },
    get client() {
      return there(client);
    },
    endings,
    startWorker: async (with_ = rig.client, concurrency = 5) => {
      const worker = await workOnSteps(with_, concurrency);
      endings.push(() => worker.stop());
    },
    startMany: (count, mode = "plain") =>
      Promise.all(
        Array.from({ length: count }, (_, index) => startSurely(rig.client, `k${index}`, mode)),
      ),
    expectEachOnce: (count, rowsEach = 1) => expectEachOnce(rig.client, count, rowsEach),
  };
  return rig;
};

const there = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("Only there while a test runs");
  return value;
};

const expectEachOnce = async (
  { pool }: StepClient,
  count: number,
  rowsEach: number,
): Promise<void> => {
  const startedAt = Date.now();
  for (;;) {
    const { rows } = await pool
      .query<{ done: number; open: number }>(
        `SELECT count(*) FILTER (WHERE status = 'completed')::int AS done,
          count(*) FILTER (WHERE status <> 'completed')::int AS open FROM queuert.job`,
      )
      // While the server is down.
      .catch(() => ({ rows: [{ done: 0, open: -1 }] }));
    if (rows[0]?.done === count && rows[0].open === 0) break;
    if (Date.now() - startedAt > deadlineMs) throw new Error(`${rows[0]?.open} jobs are not done`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rows } = await pool.query<{ rows: number; keys: number }>(
    "SELECT count(*)::int AS rows, count(DISTINCT key)::int AS keys FROM done",
  );
  expect(rows[0]).toEqual({ rows: count * rowsEach, keys: rowsEach === 0 ? 0 : count });
};
