// NATS with JetStream.
import { findBinary, findOrInstall, missing } from "./install/binary.ts";
import { fromEnvironment, type ServiceOptions, uniqueName } from "./options.ts";
import { expectAnswer } from "./process/ask.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, foreignServer, type ServerControl } from "./process/server.ts";

export type NatsService = ServerControl & {
  readonly url: string;
  readonly port: number;
  /** A prefix for subjects and buckets that no other test uses. */
  readonly namespace: () => string;
};

export const natsBinary = (): string => {
  const binary = findOrInstall(() => findBinary("nats-server"), ["nats-server"]);
  if (binary === undefined)
    throw missing("NATS", "QUEUERT_TEST_NATS_URL", "apt-get install -y nats-server");
  return binary;
};

export const startNats = async (options: ServiceOptions = {}): Promise<NatsService> => {
  const foreignUrl = fromEnvironment("QUEUERT_TEST_NATS_URL", options);
  if (foreignUrl !== undefined) {
    const port = Number(new URL(foreignUrl).port || 4222);
    return { ...foreignServer("NATS"), url: foreignUrl, port, namespace: uniqueName };
  }
  const binary = natsBinary();
  const folder = createFolder("nats", "SIGTERM");
  const port = await freePort();
  const server = createServer({
    name: "nats",
    folder,
    command: [
      ...[binary, "-p", String(port), "-a", "127.0.0.1"],
      ...["-js", "-sd", folder.createInside("data")],
    ],
    stopSignal: "SIGTERM",
    ping: () => expectAnswer(port, "", "INFO"),
  });
  await server.start();
  return { ...server, url: `nats://127.0.0.1:${port}`, port, namespace: uniqueName };
};
