// workerd with one module: the program that Cloudflare runs Workers with.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { runtimeBinary } from "../../../../scripts/runtime-binary.mjs";
import { temporaryDirectory } from "../open-store.ts";

const config = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .objects),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const objects :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-07-30",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "CLASS", uniqueKey = "jobs", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "JOBS", durableObjectNamespace = "CLASS")],
);`;

export interface Workerd {
  /** The JSON that the module answers. */
  ask(path: string): Promise<unknown>;
  /** Ends the process, and starts another one on the same storage. */
  restart(): Promise<void>;
}

interface Message {
  readonly event: string;
  readonly port?: number;
}

const serve = async (folder: string) => {
  const path = runtimeBinary("workerd")?.path;
  if (path === undefined) throw new Error("workerd cannot be installed from npm");
  const child = spawn(path, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const exited = once(child, "exit");
  const control = child.stdio[3] as NodeJS.ReadableStream;
  const { value } = await createInterface({ input: control })[Symbol.asyncIterator]().next();
  const { port } = JSON.parse(String(value)) as Message;
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { port, kill };
};

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles a module of TypeScript, and serves it until the test has finished. */
export const startWorkerd = async (module: string, className: string): Promise<Workerd> => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, "disk"));
  writeFileSync(join(folder, "config.capnp"), config.replaceAll("CLASS", className));
  await build({
    stdin: { contents: module, loader: "ts", resolveDir: packageFolder },
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["@queuert/source"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "warning",
  });
  let running = await serve(folder);
  onTestFinished(() => running.kill());
  return {
    ask: async (path) => {
      const response = await fetch(`http://127.0.0.1:${running.port}${path}`);
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
    restart: async () => {
      await running.kill();
      running = await serve(folder);
    },
  };
};
