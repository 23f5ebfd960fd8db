// A network of its own for one server, joined to this host by one cable. Routes that lead nowhere lose packets in one direction,
// below TCP: neither side is told. Linux, as root.
import { execFileSync } from "node:child_process";
import { findBinary, findOrInstall } from "./install/binary.ts";

export type NetworkNamespace = {
  /** The server's address, as this host reaches it. */
  readonly host: string;
  /** The words before the command of the server. */
  readonly prefix: readonly string[];
  /** `toServer`: packets of clients are lost. `fromServer`: those of the server. */
  readonly cut: (direction: "toServer" | "fromServer") => void;
  readonly heal: () => void;
  readonly close: () => void;
};

const run = (binary: string, line: string): void => {
  execFileSync(binary, line.split(" "), { stdio: "pipe" });
};

/** Throws the reason where the system does not permit it. */
export const createNetworkNamespace = (): NetworkNamespace => {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new Error("A network of its own needs Linux, and root");
  const ip = findOrInstall(() => findBinary("ip"), ["iproute2"]);
  if (ip === undefined) throw new Error("ip is missing: apt-get install -y iproute2");
  const id = Math.floor(Math.random() * 60_000);
  const name = `queuert-${id}`;
  const net = `10.${200 + (id % 50)}.${Math.floor(id / 256)}`;
  const [ours, theirs] = [`${net}.1`, `${net}.2`];
  run(ip, `netns add ${name}`);
  run(ip, `link add qa${id} type veth peer name qb${id} netns ${name}`);
  run(ip, `addr add ${ours}/30 dev qa${id}`);
  run(ip, `link set qa${id} up`);
  run(ip, `-n ${name} addr add ${theirs}/30 dev qb${id}`);
  run(ip, `-n ${name} link set qb${id} up`);
  run(ip, `-n ${name} link set lo up`);
  const lost = new Set<string>();
  const lines = {
    toServer: (word: string) => `route ${word} blackhole ${theirs}/32`,
    fromServer: (word: string) => `-n ${name} route ${word} blackhole ${ours}/32`,
  } as const;
  const heal = (): void => {
    for (const line of lost) run(ip, line);
    lost.clear();
  };
  return {
    host: theirs,
    prefix: [ip, "netns", "exec", name],
    cut: (direction) => {
      run(ip, lines[direction]("add"));
      lost.add(lines[direction]("del"));
    },
    heal,
    close: () => {
      heal();
      run(ip, `netns del ${name}`);
    },
  };
};
