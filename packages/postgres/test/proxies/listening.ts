import { once } from "node:events";
import { createServer, type Socket } from "node:net";

export interface Listening {
  /** The same URL as the target's, to here. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Accepts connections in the place of a server. */
export const listenInPlaceOf = async (
  target: string,
  accept: (client: Socket) => void,
): Promise<Listening> => {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.setNoDelay(true);
    client.on("close", () => sockets.delete(client));
    accept(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  if (typeof address === "object") url.port = String(address?.port);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
