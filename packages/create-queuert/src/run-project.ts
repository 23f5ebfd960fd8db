// Installs a new project, runs its first job, and then its test.
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import type { Store } from "./choices.ts";

const isWindows = process.platform === "win32";

/** Runs a command with our output. Returns whether it succeeded. */
const run = (command: string, args: readonly string[], folder: string): boolean => {
  console.log(`\n$ ${command} ${args.join(" ")}`);
  return spawnSync(command, args, { cwd: folder, stdio: "inherit", shell: isWindows }).status === 0;
};

const ports: Readonly<Record<Store, number>> = { sqlite: 0, postgres: 5432, mongodb: 27_017 };

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "localhost", timeout: 1_000 });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });

/** The server of `DATABASE_URL`, one that runs on this machine, or that of `compose.yaml`. */
const hasDatabase = async (store: Store, folder: string): Promise<boolean> => {
  if (store === "sqlite" || process.env["DATABASE_URL"] !== undefined) return true;
  if (await canConnect(ports[store])) return true;
  return run("docker", ["compose", "up", "--detach", "--wait"], folder);
};

export interface Steps {
  readonly install: boolean;
  readonly firstJob: boolean;
}

/** Returns the steps that are left to the user, as commands. None is left if the first job has run and its test passed. */
export const runProject = async (folder: string, store: Store, steps: Steps): Promise<string[]> => {
  const start = store === "sqlite" ? [] : ["docker compose up --detach --wait"];
  const left = ["npm install", ...start, "npm run first-job", "npm test"];
  if (steps.install) {
    if (!run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], folder))
      return left;
    left.shift();
  }
  if (!steps.firstJob) return left;
  if (!(await hasDatabase(store, folder))) return left;
  if (!run("npm", ["run", "--silent", "first-job"], folder)) return left.slice(-2);
  return run("npm", ["test", "--silent"], folder) ? [] : left.slice(-1);
};
