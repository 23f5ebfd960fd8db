import { findBinary, findOrInstall, missing } from "./install/binary.ts";
import { fromEnvironment, type ServiceOptions, uniqueName } from "./options.ts";
import { expectAnswer } from "./process/ask.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, foreignServer, type ServerControl } from "./process/server.ts";

export type RedisService = ServerControl & {
  readonly url: string;
  readonly port: number;
  /** A prefix for keys and channels that no other test uses. */
  readonly namespace: () => string;
};

export const redisBinary = (): string => {
  const binary = findOrInstall(() => findBinary("redis-server"), ["redis-server"]);
  if (binary === undefined)
    throw missing("Redis", "QUEUERT_TEST_REDIS_URL", "apt-get install -y redis-server");
  return binary;
};

/** `durability` is Redis's own default (snapshots) or none at all. */
export const startRedis = async (options: ServiceOptions = {}): Promise<RedisService> => {
  const foreignUrl = fromEnvironment("QUEUERT_TEST_REDIS_URL", options);
  if (foreignUrl !== undefined) {
    const port = Number(new URL(foreignUrl).port || 6379);
    return { ...foreignServer("Redis"), url: foreignUrl, port, namespace: uniqueName };
  }
  const binary = redisBinary();
  const folder = createFolder("redis", "SIGTERM");
  const port = await freePort();
  const server = createServer({
    name: "redis",
    folder,
    command: [
      ...[binary, "--port", String(port), "--bind", "127.0.0.1"],
      ...["--dir", folder.createInside("data"), "--appendonly", "no"],
      ...(options.durability === "default" ? [] : ["--save", ""]),
    ],
    stopSignal: "SIGTERM",
    ping: () => expectAnswer(port, "PING", "+PONG"),
  });
  await server.start();
  return { ...server, url: `redis://127.0.0.1:${port}`, port, namespace: uniqueName };
};
