// Refuses BEGIN and keeps the connection. A pooling proxy that finds no server does so, and a server whose statement was
// cancelled at that very moment. Statements of the same exchange are skipped, those of the next one are not.
import { connect, type Socket } from "node:net";
import { createFramer, type Frame, frame, queryText } from "./frames.ts";
import { listenInPlaceOf, type Listening } from "./listening.ts";

export interface BeginProxy extends Listening {
  /** Asked once for each BEGIN. */
  refuses: () => boolean;
  /** How often a client has sent something and waited for its end: simple queries and Syncs. */
  exchangeCount: number;
}

const refusal = frame(
  "E",
  Buffer.from("SERROR\0C57014\0Mcanceling statement due to user request\0\0"),
);
const ready = frame("Z", Buffer.from("I"));

export const startBeginProxy = async (target: string): Promise<BeginProxy> => {
  const { hostname, port } = new URL(target);
  const accept = (client: Socket): void => {
    const server = connect({ host: hostname, port: Number(port) });
    server.setNoDelay(true);
    const cut = createFramer("client");
    let isSkipping = false;
    const forward = (message: Frame): void => {
      const { type, bytes } = message;
      if (type === "Q" || type === "S") proxy.exchangeCount += 1;
      if (isSkipping) {
        if (type !== "S") return;
        isSkipping = false;
        client.write(ready);
      } else if (queryText(message)?.startsWith("BEGIN") === true && proxy.refuses()) {
        client.write(refusal);
        if (type === "Q") client.write(ready);
        else isSkipping = true;
      } else server.write(bytes);
    };
    client.on("data", (chunk: Buffer) => cut(chunk).forEach(forward));
    server.on("data", (chunk: Buffer) => client.write(chunk));
    client.on("error", () => server.destroy());
    server.on("error", () => client.destroy());
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  };
  const proxy: BeginProxy = {
    ...(await listenInPlaceOf(target, accept)),
    refuses: () => false,
    exchangeCount: 0,
  };
  return proxy;
};
