// MongoDB as a replica set, which transactions and change streams need.
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { findOrInstallMongod, type Mongod } from "./install/mongod.ts";
import { fromEnvironment, type ServiceOptions, uniqueName } from "./options.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, foreignServer, type ServerControl } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";

export type MongodbDatabase = {
  readonly url: string;
  readonly name: string;
  readonly drop: () => Promise<void>;
};

export type MongodbDatabases = {
  readonly url: string;
  readonly createDatabase: () => Promise<MongodbDatabase>;
};

export type MongodbMember = ServerControl & { readonly port: number };

/** The control methods act on the first member, or on all of them for `close`. */
export type MongodbService = MongodbDatabases &
  ServerControl & {
    readonly members: readonly MongodbMember[];
    /** Makes the primary give up, and resolves when there is one again. */
    readonly stepDown: () => Promise<void>;
  };

export type MongodbOptions = ServiceOptions & {
  /** 1 by default; 3 for tests that need another member to take over. */
  readonly memberCount?: 1 | 3;
  /** No replica set, hence no transactions; always a server of its own. */
  readonly standalone?: boolean;
  /** Server parameters, kept over restarts. */
  readonly parameters?: Readonly<Record<string, string>>;
};

const replicaSet = "queuert";
const primaryTimeoutMs = 30_000;

const withClient = async <T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const direct = (port: number): string =>
  `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=2000`;

const startMember = async (
  { binary, environment }: Mongod,
  { durability, standalone = false, parameters: own = {} }: MongodbOptions,
): Promise<MongodbMember> => {
  const runner = unprivileged(binary);
  const folder = createFolder("mongodb", "SIGTERM");
  const data = folder.createInside("data");
  runner.own(data);
  const port = await freePort();
  const parameters = {
    diagnosticDataCollectionEnabled: "false",
    enableTestCommands: "1",
    shutdownTimeoutMillisForSignaledShutdown: "100",
    ...own,
  };
  const server = createServer({
    name: "mongodb",
    folder,
    environment,
    command: [
      ...[...runner.prefix, binary, "--bind_ip", "127.0.0.1"],
      ...(standalone ? [] : ["--replSet", replicaSet]),
      ...["--port", String(port), "--dbpath", data, "--nounixsocket", "--oplogSize", "128"],
      ...["--wiredTigerCacheSizeGB", durability === "default" ? "1" : "0.25"],
      ...Object.entries(parameters).flatMap(([key, value]) => [
        "--setParameter",
        `${key}=${value}`,
      ]),
    ],
    stopSignal: "SIGTERM",
    ping: () => withClient(direct(port), (client) => client.db("admin").command({ ping: 1 })),
  });
  await server.start();
  return { ...server, port };
};

const waitForPrimary = async (ports: readonly number[]): Promise<void> => {
  const deadline = Date.now() + primaryTimeoutMs;
  const isPrimary = (port: number): Promise<boolean> =>
    withClient(direct(port), async (client) => {
      const answer = await client.db("admin").command({ hello: 1 });
      return answer["isWritablePrimary"] === true;
      // A member that is down or starting is simply not the primary.
    }).catch(() => false);
  for (;;) {
    const answers = await Promise.all(ports.map(isPrimary));
    if (answers.includes(true)) return;
    if (Date.now() > deadline) throw new Error("The MongoDB replica set has no primary");
    await sleep(20);
  }
};

const initiate = (ports: readonly number[], { durability }: MongodbOptions): Promise<unknown> =>
  withClient(direct(ports[0] ?? 0), (client) =>
    client.db("admin").command({
      replSetInitiate: {
        _id: replicaSet,
        members: ports.map((port, index) => ({ _id: index, host: `127.0.0.1:${port}` })),
        writeConcernMajorityJournalDefault: durability === "default",
        // A short election, so that a test of one takes a second and not ten.
        settings: { electionTimeoutMillis: 1_000, heartbeatIntervalMillis: 200 },
      },
    }),
  );

export const mongodbDatabases = (url: string): MongodbDatabases => ({
  url,
  createDatabase: () => {
    const name = uniqueName();
    // Not by URL: with several hosts it is none to the parser.
    const databaseUrl = url.replace(/^([a-z+]+:\/\/[^/?]+)\/?[^?]*/, `$1/${name}`);
    const drop = async (): Promise<void> => {
      await withClient(url, (client) => client.db(name).dropDatabase());
    };
    return Promise.resolve({ url: databaseUrl, name, drop });
  },
});

const stepDown = (url: string): Promise<unknown> =>
  withClient(url, (client) => client.db("admin").command({ replSetStepDown: 5, force: true }));

const startStandalone = async (options: MongodbOptions): Promise<MongodbService> => {
  const member = await startMember(findOrInstallMongod(), options);
  return {
    ...member,
    ...mongodbDatabases(`mongodb://127.0.0.1:${member.port}/`),
    members: [member],
    stepDown: () => Promise.reject(new Error("A standalone server cannot step down")),
  };
};

export const startMongodb = async (options: MongodbOptions = {}): Promise<MongodbService> => {
  if (options.standalone === true) return startStandalone(options);
  const foreignUrl = fromEnvironment("QUEUERT_TEST_MONGODB_URL", options);
  if (foreignUrl !== undefined) {
    const control = foreignServer("MongoDB");
    const refuse = control.restart;
    return { ...control, ...mongodbDatabases(foreignUrl), members: [], stepDown: refuse };
  }
  const mongod = findOrInstallMongod();
  const first = await startMember(mongod, options);
  const members = [first];
  while (members.length < (options.memberCount ?? 1))
    members.push(await startMember(mongod, options));
  const ports = members.map(({ port }) => port);
  await initiate(ports, options);
  await waitForPrimary(ports);
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  const url = `mongodb://${hosts}/?replicaSet=${replicaSet}`;
  const start = async (): Promise<void> => {
    await first.start();
    await waitForPrimary(ports);
  };
  return {
    ...first,
    ...mongodbDatabases(url),
    members,
    start,
    restart: async () => {
      await first.stop();
      await start();
    },
    stepDown: async () => {
      await stepDown(url);
      await waitForPrimary(ports);
    },
    close: async () => {
      await Promise.all(members.map((member) => member.close()));
    },
  };
};
