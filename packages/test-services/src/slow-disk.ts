// A disk that is slow to confirm: every fsync and fdatasync of the given processes, and of those they start, takes longer. By
// `strace`, which must be permitted to trace them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findBinary, findOrInstall } from "./install/binary.ts";

/** Linux. Answers how to undo it. */
export const slowDownSyncs = (pids: readonly number[], byMs: number): (() => Promise<void>) => {
  const strace = findOrInstall(() => findBinary("strace"), ["strace"]);
  if (strace === undefined) throw new Error("strace is missing: apt-get install -y strace");
  const calls = "fsync,fdatasync";
  const child = spawn(
    strace,
    [
      ...["-f", "-q", "-o", "/dev/null", "-e", `trace=${calls}`],
      ...["-e", `inject=${calls}:delay_enter=${byMs * 1_000}`],
      ...pids.flatMap((pid) => ["-p", String(pid)]),
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => (told += String(chunk)));
  return async () => {
    if (child.exitCode !== null) throw new Error(`strace ended by itself: ${told}`);
    const ended = once(child, "exit");
    // It lets go of the processes.
    child.kill("SIGINT");
    await ended;
  };
};
