// A loopback proxy between a client and a server, to break the connection in the ways networks do.
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type TcpProxy = {
  readonly host: string;
  readonly port: number;
  /** The same URL as the target's, through the proxy. */
  readonly url: string;
  readonly connectionCount: () => number;
  /** Resets all connections there are. New ones are accepted. */
  readonly cutAll: () => void;
  /** Resets each connection as soon as so many bytes have come from the server on it, from now on. */
  readonly cutAfterBytes: (count: number) => void;
  /** New connections are refused; those there are go on. */
  readonly refuse: () => Promise<void>;
  /** Every chunk waits so long, in both directions. */
  readonly delay: (ms: number) => void;
  /** Connections stay open and nothing goes through, in either direction: a pulled plug. */
  readonly halfOpen: () => void;
  /** Leads new connections to another server, and resets those there are. */
  readonly retarget: (target: string) => void;
  /** As at the beginning. Bytes that `halfOpen` held back are lost with their connections. */
  readonly heal: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type Link = {
  readonly client: Socket;
  readonly server: Socket;
  bytesFromServer: number;
};

type Faults = { delayMs: number; isHalfOpen: boolean; cutAfterBytes: number };

const noFaults = (): Faults => ({
  delayMs: 0,
  isHalfOpen: false,
  cutAfterBytes: Number.POSITIVE_INFINITY,
});

// A socket that has sent its end cannot be reset any more. Node 20 would neither close nor forget
// it, and its process would spin for ever when it ends.
const cutOff = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
};

const reset = ({ client, server }: Link): void => {
  cutOff(client);
  cutOff(server);
};

const forward = (link: Link, from: Socket, faults: Faults): void => {
  const to = from === link.client ? link.server : link.client;
  // One chunk after the other, so that a delay cannot change their order.
  let previous: Promise<void> = Promise.resolve();
  const pass = async (chunk: Buffer): Promise<void> => {
    if (faults.delayMs > 0) await sleep(faults.delayMs);
    if (faults.isHalfOpen || to.destroyed) return;
    if (from === link.server) link.bytesFromServer += chunk.length;
    const excess = link.bytesFromServer - faults.cutAfterBytes;
    if (excess < 0) {
      to.write(chunk);
      return;
    }
    to.write(chunk.subarray(0, Math.max(0, chunk.length - excess)), () => reset(link));
  };
  from.on("data", (chunk: Buffer) => {
    previous = previous.then(() => pass(chunk));
  });
  from.on("end", () => {
    previous = previous.then(() => {
      if (!faults.isHalfOpen) to.end();
    });
  });
  // The other side learns of an error as a reset, as it would without this proxy.
  from.on("error", () => reset(link));
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });

const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) return resolve();
    server.close(() => resolve());
    // Node calls back only when the last connection is gone; refusing must not wait for that.
    setImmediate(resolve);
  });

const throughProxy = (target: string, port: number): string => {
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.href;
};

/** `target` is a URL with a host and a port, such as the one of a service. */
export const startTcpProxy = async (target: string): Promise<TcpProxy> => {
  let { hostname, port: targetPort } = new URL(target);
  const faults = noFaults();
  const links = new Set<Link>();

  const accept = (client: Socket): void => {
    const server = connect({ host: hostname, port: Number(targetPort) });
    const link: Link = { client, server, bytesFromServer: 0 };
    links.add(link);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("close", () => {
        if (client.destroyed && server.destroyed) links.delete(link);
      });
      forward(link, socket, faults);
    }
  };

  let listener = createServer({ allowHalfOpen: true }, accept);
  const port = await listen(listener, 0);
  const cutAll = (): void => {
    for (const link of links) reset(link);
    links.clear();
  };
  return {
    host: "127.0.0.1",
    port,
    url: throughProxy(target, port),
    connectionCount: () => links.size,
    cutAll,
    cutAfterBytes: (count) => {
      for (const link of links) link.bytesFromServer = 0;
      faults.cutAfterBytes = count;
    },
    refuse: () => stopListening(listener),
    retarget: (to) => {
      ({ hostname, port: targetPort } = new URL(to));
      cutAll();
    },
    delay: (ms) => {
      faults.delayMs = ms;
    },
    halfOpen: () => {
      faults.isHalfOpen = true;
    },
    heal: async () => {
      // Bytes lost in between would leave a protocol out of step.
      if (faults.isHalfOpen) cutAll();
      Object.assign(faults, noFaults());
      if (listener.listening) return;
      listener = createServer({ allowHalfOpen: true }, accept);
      await listen(listener, port);
    },
    close: async () => {
      cutAll();
      await stopListening(listener);
    },
  };
};
