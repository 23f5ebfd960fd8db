// A temporary folder that ends with its process, together with the server in it. A shell waits on a
// pipe, of which only this process holds the other end. When this process ends, even by SIGKILL,
// the shell reads the end of the pipe. Then it ends the server by the pid in the folder and removes
// the folder.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Folder = {
  readonly path: string;
  /** The watcher ends the process whose pid is in this file. */
  readonly pidPath: string;
  readonly logPath: string;
  readonly createInside: (name: string) => string;
  readonly remove: () => void;
};

const watch = `
trap '' HUP INT TERM
read -r _
if [ -f "$1/pid" ]; then
  pid=$(cat "$1/pid")
  kill -CONT "$pid"
  kill -"$2" "$pid"
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" || break; sleep 0.2; done
  kill -KILL "$pid"
fi
rm -rf "$1"
`;

export const createFolder = (name: string, stopSignal: NodeJS.Signals): Folder => {
  const path = mkdtempSync(join(tmpdir(), `queuert-${name}-`));
  // Servers run as another user must be able to pass through.
  chmodSync(path, 0o711);
  const args = ["-c", watch, "queuert-watch", path, stopSignal.replace("SIG", "")];
  const watcher = spawn("sh", args, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watcher.unref();
  // The pipe of a child is a socket; its type hides that it can be unreferenced. That of Bun and Deno cannot.
  (watcher.stdin as unknown as { unref?(): void }).unref?.();
  return {
    path,
    pidPath: join(path, "pid"),
    logPath: join(path, "server.log"),
    createInside: (inner) => {
      mkdirSync(join(path, inner), { mode: 0o700 });
      return join(path, inner);
    },
    remove: () => {
      rmSync(path, { recursive: true, force: true });
      watcher.stdin.end();
    },
  };
};
