// The identity of this process, and the proof that another process of this machine is gone. A pid alone proves nothing: it is
// reused, and another container or machine has the same. Where the system tells too little, nothing is proven.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../adapters/operator-store.ts";

let own: ProcessIdentity | undefined;

export const ownProcess = (): ProcessIdentity => {
  own ??= {
    host: hostname(),
    pid: process.pid,
    machine: readMachine(),
    processStart: readProcessStart(process.pid),
  };
  return own;
};

/** Whether a process is certain to have ended. */
export const isProvenGone = ({ machine, pid, processStart }: ProcessIdentity): boolean => {
  const here = ownProcess();
  if (machine === null || machine !== here.machine || processStart === null) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // With ESRCH there is no such process. With EPERM there is one, of another user.
    return (error as Partial<NodeJS.ErrnoException>).code === "ESRCH";
  }
  const start = readProcessStart(pid);
  return start !== null && start !== processStart;
};

/** The running system and its space of pids, on Linux. A container that starts again has a new space. */
const readMachine = (): string | null => {
  const bootId = readOrNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const pids = readOrNull(() => readlinkSync("/proc/self/ns/pid"));
  return bootId === null || pids === null ? null : `${bootId} ${pids}`;
};

/** Ticks since the system started. The name of the process, in brackets, may contain anything. */
const readProcessStart = (pid: number): string | null =>
  readOrNull(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  });

const readOrNull = (read: () => string | null): string | null => {
  try {
    return read();
  } catch {
    // Another system than Linux, or a process that has ended.
    return null;
  }
};
