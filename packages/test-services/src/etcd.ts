// One etcd, in which Patroni keeps its leader.
import { findBinary, findOrInstall } from "./install/binary.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, type ServerControl } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";

export type EtcdService = ServerControl & { readonly port: number };

const etcdBinary = (): string => {
  const binary = findOrInstall(() => findBinary("etcd"), ["etcd-server"]);
  if (binary === undefined) throw new Error("etcd is missing: apt-get install -y etcd-server");
  return binary;
};

const ping = async (url: string): Promise<void> => {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
  const { health } = (await answer.json()) as { health?: unknown };
  if (health !== "true") throw new Error("etcd has no leader yet");
};

export const startEtcd = async (): Promise<EtcdService> => {
  const binary = etcdBinary();
  const runner = unprivileged(binary);
  const folder = createFolder("etcd", "SIGTERM");
  const data = folder.createInside("data");
  runner.own(data);
  const port = await freePort();
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  const server = createServer({
    ...{ name: "etcd", folder, data, stopSignal: "SIGTERM" },
    command: [
      ...[...runner.prefix, binary, "--name", "one", "--data-dir", data],
      ...["--listen-client-urls", url, "--advertise-client-urls", url],
      ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ...["--initial-cluster", `one=${peerUrl}`, "--log-level", "warn"],
    ],
    ping: () => ping(url),
  });
  await server.start();
  return { ...server, port };
};
