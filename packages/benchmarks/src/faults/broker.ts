import type { startTcpProxy } from "@queuert/test-services/tcp-proxy";
import type { NotifyAdapter } from "queuert";

/** One fault. `begin` may end by itself. The function that it returns ends it. */
export interface Fault {
  readonly name: string;
  readonly begin: () => Promise<() => Promise<void>>;
}

export interface OpenedNotify {
  readonly notifyAdapter: NotifyAdapter;
  readonly close: () => Promise<void>;
}

export interface FaultyBroker {
  readonly name: string;
  readonly faults: readonly Fault[];
  /** An adapter on a connection of its own, at the prefix of this run. */
  readonly open: (prefix: string) => Promise<OpenedNotify>;
  readonly close: () => Promise<void>;
}

interface FaultyServer {
  readonly kill: () => Promise<unknown>;
  readonly start: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
}

type Proxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** The faults of any server, and of the network to it. */
export const wireFaults = (server: FaultyServer, proxy: Proxy): readonly Fault[] => [
  {
    name: "server killed, started again",
    begin: async () => {
      await server.kill();
      return () => server.start();
    },
  },
  {
    name: "server stops answering",
    begin: async () => {
      server.pause();
      return async () => server.resume();
    },
  },
  {
    name: "connections cut, again and again",
    begin: async () => {
      const timer = setInterval(() => proxy.cutAll(), 200);
      return async () => clearInterval(timer);
    },
  },
  {
    name: "half-open connections",
    begin: async () => {
      proxy.halfOpen();
      return () => proxy.heal();
    },
  },
];

/** Messages that are not ours, or of a version to come: fifty of each. */
export const sendGarbage = async (send: (text: string) => Promise<unknown>): Promise<void> => {
  for (const text of ["", "{", "[]", '{"v":9}', '{"v":1,"hint":7}', "x".repeat(10_000)]) {
    for (let count = 0; count < 50; count += 1) await send(text);
  }
};
