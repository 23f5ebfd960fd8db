import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Subjects of the commits since an instant; an archive without a repository has no history. */
export const subjectsSince = (instant: string): string[] => {
  const args = ["log", "--no-merges", "--format=%s", `--since=${instant}`];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter((subject) => subject !== "") : [];
};
