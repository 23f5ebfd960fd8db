// Pools transactions as such proxies do, at its worst: each transaction gets another connection to the server than the one
// before. Session state that a client counts on is gone with the transaction.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createFramer, type Frame, frame, startupFrame } from "./frames.ts";
import { listenInPlaceOf, type Listening } from "./listening.ts";

interface Backend {
  readonly socket: Socket;
  /** The receiver of its answers. */
  client: Socket | undefined;
  /** Queries and syncs that the server has not answered with ReadyForQuery. */
  unanswered: number;
}

const endsExchange = (type: string): boolean => type === "Q" || type === "S";
const idle = "I".charCodeAt(0);

export interface PoolingProxy extends Listening {
  /** How many transactions it has served. */
  readonly transactionCount: () => number;
}

export const startPoolingProxy = async (target: string, size: number): Promise<PoolingProxy> => {
  const free: Backend[] = [];
  const waiting: (() => void)[] = [];
  let transactionCount = 0;

  const release = (backend: Backend): void => {
    backend.client = undefined;
    transactionCount += 1;
    // At the end of the line: the next transaction finds another one first.
    free.push(backend);
    waiting.shift()?.();
  };
  const backends = await Promise.all(
    Array.from({ length: size }, () => connectBackend(target, release)),
  );
  free.push(...backends);

  const accept = (client: Socket): void => {
    const cut = createFramer("client");
    let backend: Backend | undefined;
    let isStarted = false;
    const forward = async ({ type, bytes }: Frame): Promise<void> => {
      if (!isStarted) {
        isStarted = true;
        client.write(welcome);
      } else if (type !== "X") {
        // Given back by the server's last answer.
        if (backend?.client !== client) backend = undefined;
        while (backend === undefined) {
          backend = free.shift();
          if (backend === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
        }
        backend.client = client;
        if (endsExchange(type)) backend.unanswered += 1;
        backend.socket.write(bytes);
      }
    };
    let previous: Promise<void> = Promise.resolve();
    client.on("data", (chunk: Buffer) => {
      for (const one of cut(chunk)) previous = previous.then(() => forward(one));
    });
    client.on("error", () => client.destroy());
  };
  const listening = await listenInPlaceOf(target, accept);
  return {
    url: listening.url,
    transactionCount: () => transactionCount,
    close: async () => {
      await listening.close();
      for (const { socket } of backends) socket.destroy();
    },
  };
};

const connectBackend = async (
  target: string,
  release: (backend: Backend) => void,
): Promise<Backend> => {
  const { hostname, port, username, pathname } = new URL(target);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setNoDelay(true);
  await once(socket, "connect");
  const backend: Backend = { socket, client: undefined, unanswered: 0 };
  const cut = createFramer("server");
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      for (const { type, bytes } of cut(chunk)) {
        backend.client?.write(bytes);
        if (type !== "Z") continue;
        if (backend.client === undefined) resolve();
        else if (--backend.unanswered === 0 && bytes[5] === idle) release(backend);
      }
    });
    socket.write(startupFrame(username || "postgres", pathname.slice(1)));
  });
  return backend;
};

const welcome = Buffer.concat([
  frame("R", 0),
  frame("S", "client_encoding", "UTF8"),
  frame("S", "standard_conforming_strings", "on"),
  frame("K", 1, 1),
  frame("Z", Buffer.from("I")),
]);
