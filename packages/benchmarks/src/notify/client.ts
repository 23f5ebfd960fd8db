// One client as an application has it: a pool, a store, a transport.
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { type Addresses, openTransport, type TransportName } from "./transports.ts";

/** `at`: when it was started, on the machine's monotonic clock, which all its processes share. */
export const jobTypes = defineUnionJobTypes<{
  measured: { input: { at: number }; output: null };
}>();

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const open = async (addresses: Addresses, transport: TransportName, connectionsMax: number) => {
  const pool = new pg.Pool({
    connectionString: addresses.postgresUrl,
    max: connectionsMax,
    pipeline: true,
  });
  const stateProvider = createPgPoolStateProvider(pool, { preparedStatements: true });
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  const { notifyAdapter, close } = await openTransport(transport, addresses);
  let acquisitionCount = 0;
  const counted: typeof stateAdapter = {
    ...stateAdapter,
    acquireJobs: (params) => {
      acquisitionCount += 1;
      return stateAdapter.acquireJobs(params);
    },
  };
  const queuert = await createQueuert({
    stateAdapter: counted,
    notifyAdapter,
    jobTypeDefinitions: jobTypes,
  });
  return {
    pool,
    queuert,
    migrate: () => stateAdapter.migrateToLatest(),
    acquisitionCount: () => acquisitionCount,
    start: () =>
      queuert.startJobSequence({
        autocommit: true,
        typeName: "measured",
        input: { at: nowMs() },
      }),
    close: async () => {
      await queuert.close();
      await close();
      await pool.end();
    },
  };
};

export type Client = Awaited<ReturnType<typeof open>>;
export const openClient: (
  addresses: Addresses,
  transport: TransportName,
  connectionsMax: number,
) => Promise<Client> = open;
