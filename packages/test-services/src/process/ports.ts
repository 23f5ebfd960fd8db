import { createServer } from "node:net";

// Below the range from which the kernel takes client ports. An outgoing connection therefore cannot
// occupy the port of a server that is stopped and started again.
const lowestPort = 20_000;
const highestPort = 32_000;
const attemptsMax = 200;

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () =>
      probe.close(() => resolve(true)),
    );
  });

const isFreeWithOffsets = async (port: number, offsets: readonly number[]): Promise<boolean> => {
  for (const offset of offsets) if (!(await isFree(port + offset))) return false;
  return true;
};

/** A port without a listener, also at each `port + offset`. */
export const freePort = async (offsets: readonly number[] = []): Promise<number> => {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort));
    if (await isFreeWithOffsets(port, [0, ...offsets])) return port;
  }
  throw new Error(`No free port between ${lowestPort} and ${highestPort}`);
};
