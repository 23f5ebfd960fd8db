// How long `npm create queuert` takes with each driver, ORM and framework: from the command to the first job run and its test passed.
// A project with a framework also stores a user through its server, whose worker runs the job.
//   pnpm first-jobs [text in a name]
// The packages of Queuert come packed from this workspace, all others from npm. It takes minutes: it is no part of `pnpm check`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clients, frameworks, stores } from "../packages/create-queuert/src/choices.ts";
import { nodeBinary } from "./node-binary.mjs";
import { buildable, pnpm, rootDir } from "./workspace.mjs";

const folder = mkdtempSync(join(tmpdir(), "queuert-first-jobs-"));
const tarballs = join(folder, "tarballs");
const wanted = process.argv[2] ?? "";

const projects = [
  ...stores.flatMap((store) =>
    clients[store].map((client) => ({ store, client: client.name, framework: "none" })),
  ),
  ...frameworks
    .filter((framework) => framework !== "none")
    .map((framework) => ({ store: "postgres", client: "pg", framework })),
].filter((project) => Object.values(project).join(" ").includes(wanted));

// Node 20 has no SQLite. The engine of Prisma is downloaded from another place than npm, and generates nothing.
const node = nodeBinary("24");
if (node === undefined) process.exit(1);
const env = { ...node.env, PRISMA_SCHEMA_ENGINE_BINARY: node.node, NEXT_TELEMETRY_DISABLED: "1" };

const pack = () => {
  mkdirSync(tarballs);
  if (pnpm(["run", "--silent", "build"]) !== 0) throw new Error("the build failed");
  for (const { path } of buildable())
    pnpm(["pack", "--pack-destination", tarballs], { cwd: path, stdio: "ignore" });
};

/** Empty databases on PostgreSQL and on MongoDB. */
const startServers = async () => {
  const tsx = join(rootDir, "node_modules/tsx/dist/cli.mjs");
  const script = join(rootDir, "packages/test-services/src/serve.ts");
  const args = [tsx, script, String(projects.length)];
  const services = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(services, "exit");
  const [line] = await once(services.stdout, "data");
  /** @type {string[]} */
  const urls = JSON.parse(String(line));
  const stop = async () => {
    services.stdin.end();
    await ended;
  };
  return {
    stop,
    /** @param {string} store */
    takeUrl: (store) => {
      if (store === "sqlite") return undefined;
      const isWanted = (/** @type {string} */ url) => url.startsWith(store);
      return urls.splice(urls.findIndex(isWanted), 1)[0];
    },
  };
};

const freePort = async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  return port;
};

/**
 * Whether the server of a project answers with the number of a job.
 * @param {string} cwd @param {string} framework @param {NodeJS.ProcessEnv} environment
 */
const canServe = async (cwd, framework, environment) => {
  const port = await freePort();
  const options = { env: { ...environment, PORT: String(port) }, cwd, detached: true };
  const server = spawn("npm", ["run", "--silent", "dev"], { ...options, stdio: "ignore" });
  const address = `http://localhost:${port}${framework === "next" ? "/api" : ""}/users`;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ email: `${port}@example.com` });
  try {
    for (let left = 300; left > 0 && server.exitCode === null; left--) {
      const answer = await fetch(address, { method: "POST", headers, body }).catch(() => undefined);
      if (answer !== undefined) return answer.ok && (await answer.text()).includes('"job"');
      await sleep(200);
    }
    return false;
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGTERM");
  }
};

try {
  pack();
  const servers = await startServers();
  const own = readdirSync(tarballs).find((name) => name.startsWith("create-queuert-"));
  console.log("| store | driver or ORM | framework | seconds | kB installed | result |");
  console.log("|---|---|---|---:|---:|---|");
  for (const { store, client, framework } of projects) {
    const name = [store, client, framework].join("-");
    const url = servers.takeUrl(store);
    const environment = { ...env, ...(url !== undefined && { DATABASE_URL: url }) };
    const flags = ["--yes", "--store", store, "--client", client, "--framework", framework];
    const command = ["exec", "--yes", "--package", join(tarballs, own ?? ""), "--"];
    const args = [...command, "create-queuert", name, ...flags, "--tarballs", tarballs];
    const startedAt = performance.now();
    const options = { cwd: folder, env: environment, encoding: /** @type {const} */ ("utf8") };
    const created = spawnSync("npm", args, options);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const project = join(folder, name);
    const size = spawnSync("du", ["-sk", join(project, "node_modules")], options);
    const kilobytes = size.stdout.split("\t")[0];
    const isDone = created.status === 0;
    const result = !isDone
      ? "failed"
      : framework === "none" || (await canServe(project, framework, environment))
        ? "passed"
        : "the server does not answer";
    console.log(`| ${store} | ${client} | ${framework} | ${seconds} | ${kilobytes} | ${result} |`);
    if (result !== "passed") {
      process.exitCode = 1;
      console.log(`${created.stdout}\n${created.stderr}`);
    }
    rmSync(project, { recursive: true, force: true });
  }
  await servers.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
