// MongoDB as a sharded cluster: a router before two shards, each a replica set of one member. The first holds the
// cluster's configuration as well, which saves a process.
import { findOrInstallMongodb, type MongodbBinaries } from "./install/mongod.ts";
import {
  directUrl,
  initiate,
  type MongodbMember,
  pingPort,
  startMember,
  toParameterFlags,
  withClient,
} from "./mongodb-member.ts";
import { mongodbDatabases, type MongodbDatabases } from "./mongodb.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";

export type MongodbShardedService = MongodbDatabases & {
  /** Spreads a collection over the shards by its key. */
  readonly shard: (database: string, collection: string, key: object) => Promise<void>;
  /** Each shard's own server, behind the router's back: for faults. */
  readonly shardUrls: readonly string[];
  readonly close: () => Promise<void>;
};

const firstShard = "first";
const secondShard = "second";

/** Always a cluster of its own. */
export const startMongodbSharded = async (): Promise<MongodbShardedService> => {
  const binaries = findOrInstallMongodb(["mongod", "mongos"]);
  const [first, second] = await Promise.all([
    startSet(binaries, firstShard, "--configsvr"),
    startSet(binaries, secondShard, "--shardsvr"),
  ]);
  const router = await startRouter(binaries, `${firstShard}/127.0.0.1:${first.port}`);
  const url = `mongodb://127.0.0.1:${router.port}/`;
  const administer = (command: object): Promise<void> =>
    withClient(url, async (client) => {
      await client.db("admin").command(command);
    });
  await administer({ transitionFromDedicatedConfigServer: 1 });
  await administer({ addShard: `${secondShard}/127.0.0.1:${second.port}` });
  // Chunks move on command only, and not in the middle of a test.
  await administer({ balancerStop: 1 });
  return {
    ...mongodbDatabases(url),
    shard: (database, collection, key) =>
      administer({ shardCollection: `${database}.${collection}`, key }),
    shardUrls: [first, second].map(({ port }) => directUrl(port)),
    close: async () => {
      for (const each of [router, second, first]) await each.close();
    },
  };
};

const startSet = async (
  binaries: MongodbBinaries,
  replicaSet: string,
  role: "--configsvr" | "--shardsvr",
): Promise<MongodbMember> => {
  const member = await startMember(binaries, { replicaSet, role });
  await initiate([member.port], { replicaSet, role });
  return member;
};

const startRouter = async (
  { mongos, environment }: MongodbBinaries,
  configuration: string,
): Promise<MongodbMember> => {
  const folder = createFolder("mongos", "SIGTERM");
  const port = await freePort();
  const parameters = {
    enableTestCommands: "1",
    // It waits 15 s for clients that might go on, where a test has none.
    mongosShutdownTimeoutMillisForSignaledShutdown: "100",
  };
  const server = createServer({
    name: "mongos",
    folder,
    environment,
    command: [
      ...[...unprivileged(mongos).prefix, mongos, "--configdb", configuration],
      ...["--bind_ip", "127.0.0.1", "--port", String(port), "--nounixsocket"],
      ...toParameterFlags(parameters),
    ],
    stopSignal: "SIGTERM",
    ping: () => pingPort(port),
  });
  await server.start();
  return { ...server, port };
};
