// A client of Prisma without models. `prisma generate` writes the same call, and needs a binary that is downloaded.
import { PrismaPg } from "@prisma/adapter-pg";
import { getPrismaClient } from "@prisma/client/runtime/client";
import pg from "pg";
import { createPrismaStateProvider, type PrismaStatements } from "../../../src/orms/prisma.ts";
import type { OpenOrm } from "../orm-client.ts";

// Files without types.
const compiler = "@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs";
const compilerWasm = "@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs";

/** Not declared for Node 20. */
interface Modules {
  readonly WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };
}

const PrismaClient = getPrismaClient({
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  previewFeatures: [],
  clientVersion: "7.10.0",
  engineVersion: "0",
  activeProvider: "postgresql",
  inlineSchema: `datasource db { provider = "postgresql" }`,
  parameterizationSchema: { strings: [], graph: Buffer.alloc(64).toString("base64") },
  compilerWasm: {
    getRuntime: () => import(compiler),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = (await import(compilerWasm)) as { wasm: string };
      const { WebAssembly } = globalThis as unknown as Modules;
      return new WebAssembly.Module(Buffer.from(wasm, "base64"));
    },
    importName: "./query_compiler_fast_bg.js",
  },
});

interface Transaction extends PrismaStatements {
  $executeRawUnsafe(sql: string, ...values: unknown[]): Promise<number>;
}

interface Client extends Transaction {
  $transaction<T>(callback: (tx: Transaction) => Promise<T>, options?: object): Promise<T>;
  $disconnect(): Promise<void>;
}

export const openPrisma: OpenOrm = async (url, { connectionsMax, acquireTimeoutMs = 0 }) => {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
  });
  // Without listeners, a connection that reports its end twice ends the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const adapter = new PrismaPg(pool);
  // The class has the type `any`-like of a generated one without models.
  const prisma = new PrismaClient({ adapter }) as unknown as Client;
  return {
    stateProvider: createPrismaStateProvider(prisma, { connectionsMax }),
    transaction: (callback) => prisma.$transaction((tx) => callback({ tx })),
    insert: (context, key) =>
      (context as { tx: Transaction }).tx.$executeRawUnsafe("INSERT INTO done VALUES ($1)", key),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
};
