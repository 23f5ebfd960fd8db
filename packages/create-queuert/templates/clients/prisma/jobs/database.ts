import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import type { GetStateAdapterTxContext } from "queuert";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPrismaStateProvider } from "@queuert/postgres/prisma";
import { createPgTimeTravel } from "@queuert/postgres/test";
import { PrismaClient } from "../generated/prisma/client.ts";

const url = process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app";
const createUsers =
  "CREATE TABLE IF NOT EXISTS users (email text PRIMARY KEY, welcomed boolean NOT NULL)";

/** Your tables, and those of the jobs in a schema of their own: another one for tests. */
export const openDatabase = async (name: "app" | "test") => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // Without listeners, a connection that reports its end twice ends the process.
  pool.on("error", console.error);
  pool.on("connect", (client) => client.on("error", console.error));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  await prisma.$executeRawUnsafe(createUsers);
  const schema = name === "test" ? "queuert_test" : "queuert";
  const stateProvider = createPrismaStateProvider(prisma, { connectionsMax: 10 });
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  const isWelcomed = async (email: string) =>
    (await prisma.user.findUnique({ where: { email } }))?.welcomed === true;
  const timeTravel = createPgTimeTravel(stateAdapter);
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { stateAdapter, timeTravel, isWelcomed, close };
};

export type StateAdapter = Awaited<ReturnType<typeof openDatabase>>["stateAdapter"];
type Transaction = GetStateAdapterTxContext<StateAdapter>;

export const addUser = async ({ tx }: Transaction, email: string) => {
  await tx.user.create({ data: { email, welcomed: false } });
};

export const markWelcomed = async ({ tx }: Transaction, email: string) => {
  await tx.user.update({ where: { email }, data: { welcomed: true } });
};
