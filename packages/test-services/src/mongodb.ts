// MongoDB as a replica set, which transactions and change streams need.
import { findOrInstallMongodb } from "./install/mongod.ts";
import {
  initiate,
  type MongodbMember,
  startMember,
  waitForPrimary,
  withClient,
} from "./mongodb-member.ts";
import { fromEnvironment, type ServiceOptions, uniqueName } from "./options.ts";
import { foreignServer, type ServerControl } from "./process/server.ts";

export type MongodbDatabase = {
  readonly url: string;
  readonly name: string;
  readonly drop: () => Promise<void>;
};

export type MongodbDatabases = {
  readonly url: string;
  readonly createDatabase: () => Promise<MongodbDatabase>;
};

/** The control methods act on the first member, or on all of them for `close`. */
export type MongodbService = MongodbDatabases &
  ServerControl & {
    readonly members: readonly MongodbMember[];
    /** Makes the primary give up, and resolves when there is one again. */
    readonly stepDown: () => Promise<void>;
    /** The member that accepts writes at the moment. */
    readonly primary: () => Promise<MongodbMember>;
    readonly waitForPrimary: () => Promise<void>;
  };

export type MongodbOptions = ServiceOptions & {
  /** 1 by default; 3 for tests that need another member to take over. */
  readonly memberCount?: 1 | 3;
  /** No replica set, hence no transactions; always a server of its own. */
  readonly standalone?: boolean;
  /** Clients need a user. The first one is created over a local connection without a user. */
  readonly withUsers?: boolean;
  /** Server parameters, kept over restarts. */
  readonly parameters?: Readonly<Record<string, string>>;
};

const replicaSet = "queuert";

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
  const member = await startMember(findOrInstallMongodb(["mongod"]), options);
  return {
    ...member,
    ...mongodbDatabases(`mongodb://127.0.0.1:${member.port}/`),
    members: [member],
    stepDown: () => Promise.reject(new Error("A standalone server cannot step down")),
    primary: () => Promise.resolve(member),
    waitForPrimary: () => Promise.resolve(),
  };
};

export const startMongodb = async (options: MongodbOptions = {}): Promise<MongodbService> => {
  if (options.standalone === true) return startStandalone(options);
  const foreignUrl = fromEnvironment("QUEUERT_TEST_MONGODB_URL", options);
  if (foreignUrl !== undefined) {
    const control = foreignServer("MongoDB");
    const refuse = control.restart;
    const refused = {
      ...{ stepDown: refuse, waitForPrimary: refuse },
      primary: () => Promise.reject(new Error("Its members belong to the user")),
    };
    return { ...control, ...mongodbDatabases(foreignUrl), members: [], ...refused };
  }
  const binaries = findOrInstallMongodb(["mongod"]);
  const member = { ...options, replicaSet };
  const first = await startMember(binaries, member);
  const members = [first];
  while (members.length < (options.memberCount ?? 1))
    members.push(await startMember(binaries, member));
  const ports = members.map(({ port }) => port);
  await initiate(ports, member);
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
    backUp: async () => {
      const restore = await first.backUp();
      await waitForPrimary(ports);
      return async () => {
        await restore();
        await waitForPrimary(ports);
      };
    },
    primary: async () => {
      const port = await waitForPrimary(ports);
      return members.find((one) => one.port === port) ?? first;
    },
    waitForPrimary: async () => {
      await waitForPrimary(ports);
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
