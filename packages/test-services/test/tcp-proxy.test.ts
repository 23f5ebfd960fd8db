import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTcpProxy, type TcpProxy } from "../src/tcp-proxy.ts";

const echo = createServer((socket) => {
  socket.on("error", () => {});
  socket.pipe(socket);
});
let proxy: TcpProxy;

beforeEach(async () => {
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const address = echo.address();
  if (typeof address !== "object" || !address) throw new Error("The echo server has no port");
  proxy = await startTcpProxy(`tcp://127.0.0.1:${address.port}/path`);
});
afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

const open = async (): Promise<Socket> => {
  const socket = connect(proxy.port, proxy.host);
  await once(socket, "connect");
  return socket;
};
const say = async (socket: Socket, text: string): Promise<string> => {
  socket.write(text);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
};
const silence = (socket: Socket, ms: number): Promise<string> =>
  Promise.race([
    once(socket, "data").then(String),
    new Promise<string>((resolve) => setTimeout(resolve, ms, "silence")),
  ]);

describe("tcp proxy", () => {
  it("passes bytes on, and keeps the rest of the URL", async () => {
    const socket = await open();
    expect(await say(socket, "hello")).toBe("hello");
    expect(proxy.url).toBe(`tcp://127.0.0.1:${proxy.port}/path`);
    expect(proxy.connectionCount()).toBe(1);
    socket.destroy();
  });

  it("cuts all connections and accepts new ones", async () => {
    const socket = await open();
    await say(socket, "hello");
    proxy.cutAll();
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNRESET");
    const next = await open();
    expect(await say(next, "again")).toBe("again");
    next.destroy();
  });

  it("refuses new connections until healed", async () => {
    const old = await open();
    await say(old, "hello");
    await proxy.refuse();
    await expect(open()).rejects.toThrow("ECONNREFUSED");
    expect(await say(old, "still here")).toBe("still here");
    await proxy.heal();
    const next = await open();
    expect(await say(next, "again")).toBe("again");
    old.destroy();
    next.destroy();
  });

  it("delays in both directions and keeps the order", async () => {
    const socket = await open();
    await say(socket, "hello");
    proxy.delay(50);
    const startedAt = performance.now();
    expect(await say(socket, "later")).toBe("later");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(95);
    socket.destroy();
  });

  it("goes silent without closing when half open", async () => {
    const socket = await open();
    await say(socket, "hello");
    proxy.halfOpen();
    socket.write("lost");
    expect(await silence(socket, 100)).toBe("silence");
    expect(socket.destroyed).toBe(false);
    const reset = once(socket, "error");
    await proxy.heal();
    await reset;
  });

  it("cuts after the given number of bytes from the server", async () => {
    const socket = await open();
    proxy.cutAfterBytes(3);
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    // Node reports the reset or, when it comes with the last bytes, an end.
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write("hello");
    await closed;
    expect(Buffer.concat(received).toString()).toBe("hel");
  });
});
