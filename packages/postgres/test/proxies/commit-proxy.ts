// Cuts a connection exactly at its COMMIT: before the server has seen it, or after the server has done it.
import { connect, type Socket } from "node:net";
import { createFramer, queryText } from "./frames.ts";
import { listenInPlaceOf, type Listening } from "./listening.ts";

export type CommitFate = "passes" | "never arrives" | "answer is lost";

export interface CommitProxy extends Listening {
  /** Asked once for each COMMIT, with how many exchanges that were sent before it are still to be answered. */
  decide: (unansweredCount: number) => CommitFate;
}

export const startCommitProxy = async (target: string): Promise<CommitProxy> => {
  const { hostname, port } = new URL(target);
  const accept = (client: Socket): void => {
    const server = connect({ host: hostname, port: Number(port) });
    server.setNoDelay(true);
    const cut = createFramer("client");
    const cutAnswers = createFramer("server");
    let isLast = false;
    // The server is ready once before it is asked anything.
    let unansweredCount = 1;
    const end = (): void => {
      client.resetAndDestroy();
      server.destroy();
    };
    client.on("data", (chunk: Buffer) => {
      for (const message of cut(chunk)) {
        const isCommit = /^COMMIT\b/.test(queryText(message) ?? "");
        const fate = isCommit ? proxy.decide(unansweredCount) : "passes";
        if (message.type === "Q" || message.type === "S") unansweredCount += 1;
        if (fate === "never arrives") return end();
        isLast ||= fate === "answer is lost";
        server.write(message.bytes);
      }
    });
    // The server has answered, so it is stored; the client hears nothing of it.
    server.on("data", (chunk: Buffer) => {
      if (isLast) return end();
      unansweredCount -= cutAnswers(chunk).filter(({ type }) => type === "Z").length;
      client.write(chunk);
    });
    client.on("error", end);
    server.on("error", end);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  };
  const proxy: CommitProxy = {
    ...(await listenInPlaceOf(target, accept)),
    decide: () => "passes",
  };
  return proxy;
};
