import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "@nats-io/transport-node";
import { startNats } from "@queuert/test-services/nats";
import { startTcpProxy } from "@queuert/test-services/tcp-proxy";
import { createNatsNotifyAdapter } from "@queuert/nats";
import { type Fault, type FaultyBroker, sendGarbage, wireFaults } from "./broker.ts";

type Nats = Awaited<ReturnType<typeof startNats>>;
type Proxy = Awaited<ReturnType<typeof startTcpProxy>>;

const serverFaults = (nats: Nats, proxy: Proxy): readonly Fault[] => [
  ...wireFaults(nats, proxy),
  {
    name: "authentication refused",
    begin: async () => {
      await nats.stop();
      const args = ["-p", String(nats.port), "-a", "127.0.0.1", "--user", "u", "--pass", "p"];
      const refusing = spawn("nats-server", args, { stdio: "ignore" });
      return async () => {
        const ended = once(refusing, "exit");
        refusing.kill("SIGKILL");
        await ended;
        await nats.start();
      };
    },
  },
];

const messageFaults = (nats: Nats, prefix: () => string): readonly Fault[] => [
  {
    name: "foreign and broken messages",
    begin: async () => {
      const nc = await connect({ servers: nats.url });
      await sendGarbage(async (text) => nc.publish(`${prefix()}.sched`, text));
      await nc.close();
      return async () => undefined;
    },
  },
];

export const openNatsFaults = async (): Promise<FaultyBroker> => {
  const nats = await startNats({ exclusive: true });
  const proxy = await startTcpProxy(nats.url);
  let latestPrefix = "";

  return {
    name: "NATS",
    faults: [...serverFaults(nats, proxy), ...messageFaults(nats, () => latestPrefix)],
    open: async (subjectPrefix) => {
      latestPrefix = subjectPrefix;
      const nc = await connect({
        servers: proxy.url,
        pingInterval: 1_000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
        ignoreAuthErrorAbort: true,
      });
      const notifyAdapter = await createNatsNotifyAdapter({ nc, subjectPrefix });
      return {
        notifyAdapter,
        close: async () => {
          await notifyAdapter.close();
          await nc.close();
        },
      };
    },
    close: async () => {
      await proxy.close();
      await nats.close();
    },
  };
};
