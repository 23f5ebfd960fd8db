// PostgreSQL of the system: the newest installed version.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBinary, findOrInstall } from "./install/binary.ts";
import { embeddedPostgresBinaries } from "./install/embedded-postgres.ts";
import { fromEnvironment } from "./options.ts";
import {
  foreignPostgres,
  type PostgresBinaries,
  type PostgresOptions,
  type PostgresService,
  startPostgresServer,
} from "./postgres-server.ts";

export type { PostgresDatabase, PostgresOptions, PostgresService } from "./postgres-server.ts";

const debianFolders = (): string[] => {
  try {
    return readdirSync("/usr/lib/postgresql")
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join("/usr/lib/postgresql", version, "bin"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  }
};

export const systemBinaries = async (): Promise<PostgresBinaries> => {
  const postgres = findOrInstall(() => findBinary("postgres", debianFolders()), ["postgresql"]);
  if (postgres !== undefined) return { postgres, initdb: join(dirname(postgres), "initdb") };
  process.stderr.write("No PostgreSQL on this machine: the tests take the one from npm\n");
  return embeddedPostgresBinaries();
};

export const startPostgres = async (options: PostgresOptions = {}): Promise<PostgresService> => {
  const url = fromEnvironment("QUEUERT_TEST_POSTGRES_URL", options);
  if (url !== undefined) return foreignPostgres(url);
  return startPostgresServer("postgres", await systemBinaries(), options);
};
