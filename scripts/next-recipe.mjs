// Builds the Next.js application of packages/examples/next from the packed tarball, in an empty folder, and runs it.
// It needs the network, and a minute or two: it is no part of `pnpm check`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pnpm, rootDir, run } from "./workspace.mjs";

const versions = ["next@16.4.6", "react@19", "react-dom@19", "@types/react@19"];
const folder = mkdtempSync(join(tmpdir(), "queuert-next-"));
const secret = "a-secret-of-the-recipe";

/** @param {number} code @param {string} step */
const must = (code, step) => {
  if (code !== 0) throw new Error(`${step} failed with exit code ${code}`);
};

const build = () => {
  cpSync(join(rootDir, "packages/examples/next"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  must(pnpm(["run", "--silent", "build"]), "build of the packages");
  const core = { cwd: join(rootDir, "packages/core"), stdio: /** @type {const} */ ("ignore") };
  must(pnpm(["pack", "--pack-destination", folder], core), "pack");
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  const flags = ["--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  must(run("npm", ["install", ...flags, ...versions, `./${tarball}`], { cwd: folder }), "install");
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  for (const name of ["typescript", "@types/node"])
    symlinkSync(join(rootDir, "node_modules", name), join(folder, "node_modules", name));
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  must(run("npx", ["--no-install", "next", "build"], { cwd: folder, env }), "next build");
};

const freePort = async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  return port;
};

const serve = async () => {
  const port = await freePort();
  const env = {
    ...process.env,
    ...{ NEXT_TELEMETRY_DISABLED: "1", NEXT_MANUAL_SIG_HANDLE: "true" },
    ...{ CRON_SECRET: secret, PORT: String(port) },
  };
  const next = join(folder, "node_modules/next/dist/bin/next");
  const child = spawn(process.execPath, [next, "start"], {
    ...{ cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] },
  });
  let output = "";
  /** @param {string} text */
  const printed = async (text) => {
    while (!output.includes(text)) {
      if (child.exitCode !== null) throw new Error(`next start ended:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  child.stdout?.on("data", (chunk) => (output += chunk));
  await printed("Ready");
  return { child, printed, address: `http://localhost:${port}/api`, output: () => output };
};

try {
  build();
  const { child, printed, address, output } = await serve();
  /** @param {string} to */
  const mail = async (to) =>
    (await fetch(`${address}/mails`, { method: "POST", body: JSON.stringify({ to }) })).json();
  // The route's client is that of the worker in the other bundle: the in-process store has one job.
  assert.deepEqual(await mail("ada"), { output: "sent to ada" });
  assert.equal((await fetch(`${address}/work`)).status, 401);
  const headers = { authorization: `Bearer ${secret}` };
  const worked = await fetch(`${address}/work`, { headers });
  assert.equal(worked.status, 200);
  assert.match(await worked.text(), /"nextDueInMs":null/);
  await mail("slow");
  await printed("a slow job runs");
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  assert.match(output(), /the slow job ends: shutdown/);
  assert.equal(code, 0);
  console.log("✓ the Next.js recipe builds, runs jobs and ends in order");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
