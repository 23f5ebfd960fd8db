// Three NATS servers that forward to each other: a client of a lost one connects to another.
import { natsBinary } from "./nats.ts";
import { expectAnswer } from "./process/ask.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, type ServerControl } from "./process/server.ts";

export type NatsCluster = {
  /** The servers, separated by commas. */
  readonly url: string;
  readonly nodes: readonly ServerControl[];
  readonly close: () => Promise<void>;
};

const nodeCount = 3;

type Ports = { readonly client: number; readonly route: number };

const startNode = async (
  binary: string,
  own: Ports,
  all: readonly Ports[],
): Promise<ServerControl> => {
  const folder = createFolder("nats-cluster", "SIGTERM");
  const routes = all.filter(({ route }) => route !== own.route);
  const server = createServer({
    name: "nats-cluster",
    folder,
    command: [
      ...[binary, "-p", String(own.client), "-a", "127.0.0.1", "--cluster_name", "queuert"],
      ...["--cluster", `nats://127.0.0.1:${own.route}`],
      ...["--routes", routes.map(({ route }) => `nats://127.0.0.1:${route}`).join(",")],
    ],
    stopSignal: "SIGTERM",
    ping: () => expectAnswer(own.client, "", "INFO"),
  });
  await server.start();
  return server;
};

/** Servers of their own, to harm; without JetStream. */
export const startNatsCluster = async (): Promise<NatsCluster> => {
  const binary = natsBinary();
  const ports: Ports[] = [];
  for (let index = 0; index < nodeCount; index += 1)
    ports.push({ client: await freePort(), route: await freePort() });
  const nodes = await Promise.all(ports.map((own) => startNode(binary, own, ports)));
  return {
    url: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(","),
    nodes,
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
};
