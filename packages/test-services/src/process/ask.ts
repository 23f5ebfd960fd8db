import { connect } from "node:net";

/** Sends a line to a server that speaks in lines and resolves with the first thing it says. */
export const ask = (port: number, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    const timeoutMs = 2_000;
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No answer in ${timeoutMs} ms`)));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The connection was closed before an answer")));
    socket.once("data", (chunk) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    if (line !== "") socket.write(`${line}\r\n`);
  });

export const expectAnswer = async (port: number, line: string, start: string): Promise<void> => {
  const answer = await ask(port, line);
  if (!answer.startsWith(start)) throw new Error(`${line} was answered with ${answer.trim()}`);
};
