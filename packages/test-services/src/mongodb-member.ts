// One mongod, and the commands that make a replica set of several.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { MongodbBinaries } from "./install/mongod.ts";
import type { ServiceOptions } from "./options.ts";
import { createFolder, type Folder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, type ServerControl } from "./process/server.ts";
import { type Runner, unprivileged } from "./process/unprivileged.ts";

export type MongodbMember = ServerControl & { readonly port: number };

export type MongodbMemberOptions = Pick<ServiceOptions, "durability"> & {
  /** Left out: a standalone server. */
  readonly replicaSet?: string | undefined;
  /** Its part in a sharded cluster. */
  readonly role?: "--configsvr" | "--shardsvr";
  /** Clients need a user; the first one is created over a local connection without a user. */
  readonly withUsers?: boolean | undefined;
  /** Server parameters, kept over restarts. */
  readonly parameters?: Readonly<Record<string, string>>;
};

const primaryTimeoutMs = 30_000;

export const withClient = async <T>(
  url: string,
  use: (client: MongoClient) => Promise<T>,
): Promise<T> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

export const directUrl = (port: number): string =>
  `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=2000`;

export const pingPort = (port: number): Promise<unknown> =>
  withClient(directUrl(port), (client) => client.db("admin").command({ ping: 1 }));

export const toParameterFlags = (parameters: Readonly<Record<string, string>>): string[] =>
  Object.entries(parameters).flatMap(([key, value]) => ["--setParameter", `${key}=${value}`]);

export const startMember = async (
  { mongod, environment }: MongodbBinaries,
  { durability, replicaSet, role, withUsers = false, parameters: own = {} }: MongodbMemberOptions,
): Promise<MongodbMember> => {
  const runner = unprivileged(mongod);
  const folder = createFolder("mongodb", "SIGTERM");
  const data = folder.createInside("data");
  runner.own(data);
  const port = await freePort();
  const authentication = withUsers ? ["--keyFile", createKeyFile(folder, runner)] : [];
  const parameters = {
    diagnosticDataCollectionEnabled: "false",
    enableTestCommands: "1",
    shutdownTimeoutMillisForSignaledShutdown: "100",
    ...own,
  };
  const server = createServer({
    name: "mongodb",
    folder,
    data,
    environment,
    command: [
      ...[...runner.prefix, mongod, "--bind_ip", "127.0.0.1"],
      ...(replicaSet === undefined ? [] : ["--replSet", replicaSet]),
      ...(role === undefined ? [] : [role]),
      ...["--port", String(port), "--dbpath", data, "--nounixsocket", "--oplogSize", "128"],
      ...["--wiredTigerCacheSizeGB", durability === "default" ? "1" : "0.25"],
      ...authentication,
      ...toParameterFlags(parameters),
    ],
    stopSignal: "SIGTERM",
    ping: () => pingPort(port),
  });
  await server.start();
  return { ...server, port };
};

/** Members of a replica set whose clients need a user know each other by a key. */
const createKeyFile = (folder: Folder, runner: Runner): string => {
  const path = join(folder.createInside("key"), "key");
  writeFileSync(path, randomBytes(48).toString("base64"), { mode: 0o600 });
  runner.own(join(folder.path, "key"));
  runner.own(path);
  return path;
};

/** Answers with its port. */
export const waitForPrimary = async (ports: readonly number[]): Promise<number> => {
  const deadline = Date.now() + primaryTimeoutMs;
  const isPrimary = (port: number): Promise<boolean> =>
    withClient(directUrl(port), async (client) => {
      const answer = await client.db("admin").command({ hello: 1 });
      return answer["isWritablePrimary"] === true;
      // A member that is down or starting is simply not the primary.
    }).catch(() => false);
  for (;;) {
    const answers = await Promise.all(ports.map(isPrimary));
    const port = ports[answers.indexOf(true)];
    if (port !== undefined) return port;
    if (Date.now() > deadline) throw new Error("The MongoDB replica set has no primary");
    await sleep(20);
  }
};

export const initiate = async (
  ports: readonly number[],
  { durability, replicaSet, role }: MongodbMemberOptions,
): Promise<void> => {
  await withClient(directUrl(ports[0] ?? 0), (client) =>
    client.db("admin").command({
      replSetInitiate: {
        _id: replicaSet,
        members: ports.map((port, index) => ({ _id: index, host: `127.0.0.1:${port}` })),
        ...(role === "--configsvr" && { configsvr: true }),
        // A config server insists.
        writeConcernMajorityJournalDefault: durability === "default" || role === "--configsvr",
        // A short election, so that a test of one takes a second and not ten.
        settings: { electionTimeoutMillis: 1_000, heartbeatIntervalMillis: 200 },
      },
    }),
  );
  await waitForPrimary(ports);
};
