// Finds a server's binary, or installs its Debian package when root, or names the missing package.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The only answer wanted is yes or no.
    return false;
  }
};

/** Looks on PATH, and where Debian and Homebrew put servers that users do not call. */
export const findBinary = (name: string, folders: readonly string[] = []): string | undefined => {
  const onPath = (process.env["PATH"] ?? "").split(delimiter);
  return [...folders, ...onPath, "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"]
    .map((folder) => join(folder, name))
    .find(isExecutable);
};

const canInstall = (): boolean =>
  process.getuid?.() === 0 && findBinary("apt-get", ["/usr/bin"]) !== undefined;

/** Installs Debian packages. False when that is not possible here. */
export const installDebianPackages = (packages: readonly string[]): boolean => {
  if (!canInstall()) return false;
  process.stderr.write(`Installing ${packages.join(", ")} for the tests\n`);
  const lock = ["-o", "DPkg::Lock::Timeout=120"];
  const options = {
    stdio: ["ignore", "ignore", "inherit"] as ("ignore" | "inherit")[],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", [...lock, "update"], options);
  const install = [...lock, "install", "-y", "--no-install-recommends", ...packages];
  return spawnSync("apt-get", install, options).status === 0;
};

export const findOrInstall = (
  find: () => string | undefined,
  packages: readonly string[],
): string | undefined => find() ?? (installDebianPackages(packages) ? find() : undefined);

export const missing = (what: string, environment: string, install: string): Error =>
  new Error(
    `${what} is missing: install it (${install}), or set ${environment} to the URL of one for tests.`,
  );
