import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";

export type Runner = {
  /** The words before the command. Each of them execs it, so the pid stays the server's own. */
  readonly prefix: readonly string[];
  /** Hands a folder to the user the command will run as. */
  readonly own: (folder: string) => void;
};

const asNobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"];
const asMappedUser = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"];

const numericId = (flag: "-u" | "-g"): number =>
  Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim());

const works = (command: readonly string[]): boolean => {
  const [file = "", ...args] = command;
  return spawnSync(file, args, { stdio: "ignore", cwd: "/" }).status === 0;
};

/**
 * PostgreSQL refuses to run as root, and a foreign binary must not. As root: the system user
 * `nobody`. If that user cannot read the binary: a user namespace.
 */
export const unprivileged = (binary: string): Runner => {
  if (process.getuid?.() !== 0) return { prefix: [], own: () => {} };
  if (works([...asNobody, "test", "-x", binary])) {
    const [uid, gid] = [numericId("-u"), numericId("-g")];
    return { prefix: asNobody, own: (folder) => chownSync(folder, uid, gid) };
  }
  if (works([...asMappedUser, "true"])) return { prefix: asMappedUser, own: () => {} };
  throw new Error(
    `${binary} may not run as root: move it to where the system's unprivileged user can read it, or run as another user.`,
  );
};
