// PgBouncer, which pools transactions, in front of a PostgreSQL.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBinary, findOrInstall, missing } from "./install/binary.ts";
import { queryOnce } from "./postgres-server.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, foreignServer, type ServerControl } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";

export type PgbouncerService = ServerControl & {
  /** The way through it to a database of its server. */
  readonly through: (databaseUrl: string) => string;
};

const pgbouncerBinary = (): string => {
  const binary = findOrInstall(() => findBinary("pgbouncer"), ["pgbouncer"]);
  if (binary === undefined)
    throw missing("PgBouncer", "QUEUERT_TEST_PGBOUNCER_URL", "apt-get install -y pgbouncer");
  return binary;
};

const throughPort =
  (pooler: URL) =>
  (databaseUrl: string): string => {
    const url = new URL(pooler);
    url.pathname = new URL(databaseUrl).pathname;
    return url.href;
  };

const settingsFor = (server: URL, port: number): string => {
  const password = server.password && ` password=${decodeURIComponent(server.password)}`;
  return `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${server.username}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 1000
`;
};

/** In front of the server at `serverUrl`. From the environment comes one in front of the same server, that pools transactions. */
export const startPgbouncer = async (serverUrl: string): Promise<PgbouncerService> => {
  const foreignUrl = process.env["QUEUERT_TEST_PGBOUNCER_URL"];
  if (foreignUrl)
    return { ...foreignServer("PgBouncer"), through: throughPort(new URL(foreignUrl)) };
  const binary = pgbouncerBinary();
  const runner = unprivileged(binary);
  const folder = createFolder("pgbouncer", "SIGQUIT");
  const inside = folder.createInside("settings");
  const port = await freePort();
  const settings = join(inside, "pgbouncer.ini");
  writeFileSync(settings, settingsFor(new URL(serverUrl), port));
  runner.own(inside);
  const through = throughPort(new URL(`postgres://postgres@127.0.0.1:${port}`));
  const server = createServer({
    name: "pgbouncer",
    folder,
    command: [...runner.prefix, binary, "--quiet", settings],
    // At once, in old versions and new.
    stopSignal: "SIGQUIT",
    ping: () => queryOnce(through(serverUrl), "SELECT 1"),
  });
  await server.start();
  return { ...server, through };
};
