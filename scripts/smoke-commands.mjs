// Each command of the command line on a store, by the packed packages. What they print is the business of their own tests: here they
// find their packages and drivers, and end with the right code.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkMoreCommands } from "./smoke-more-commands.mjs";
import { rootDir } from "./workspace.mjs";

const done = 0;
const [notFound, refused, needsConfirmation, checksFailed] = [3, 4, 5, 6];

/** @type {readonly (readonly [args: string, code?: number])[]} `$id` is the first job, `$later` a scheduled one. */
const commands = [
  ["migrate --plan"],
  ["migrate"],
  ["migrate status"],
  ['start greet --input {"name":"Ada"} --key ada --json'],
  ["start greet --in 1h --json"],
  ["doctor", checksFailed],
  ["status"],
  ["status --json"],
  ["status --check pending=2 failed<1"],
  ["status --check pending=1", checksFailed],
  ["types"],
  ["workers"],
  ["limits"],
  ["list"],
  ["list is:due --columns id,why,input.name --jsonl"],
  ["list sequences type:greet"],
  ["list status:nonsense", 2],
  ["show $id --attempts --logs --tree --payload"],
  ["show 00000000-0000-7000-8000-000000000000", notFound],
  ["explain $id $later"],
  ["explain-error QUEUERT_EMPTY_WORKER"],
  ["failures"],
  ["schedules"],
  ["schedules edit none --every 1h", notFound],
  ["pause greet --note smoke --for 1h"],
  ["pauses"],
  ["resume greet"],
  ["export type:greet"],
  ["trigger $later"],
  ["retry $id", refused],
  ["retry --where status:failed --plan", needsConfirmation],
  ["complete $id --output true"],
  ["cancel --where is:open", needsConfirmation],
  ["cancel --where is:open --yes --count 1"],
  ["delete $id --yes --count 1"],
  ["list --json"],
  ["skill install skills"],
  ["completion bash"],
];

/**
 * @param {string} folder with the packages
 * @param {string} url of an empty store
 */
export const checkCommands = async (folder, url) => {
  const program = join(folder, "node_modules/queuert/bin/queuert.mjs");
  const own = [program, "--url", url];
  /** @type {string[]} */
  const ids = [];
  for (const [text, code = done] of commands) {
    const [id = "", later = ""] = ids;
    const args = text.replace("$id", id).replace("$later", later).split(" ");
    // The checks of one option are one argument.
    const words =
      args[1] === "--check" ? [args[0] ?? "", "--check", args.slice(2).join(" ")] : args;
    const { status, stdout, stderr } = spawnSync(process.execPath, [...own, ...words], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== code)
      throw new Error(`${url}: ${text}: exit code ${status}, not ${code}\n${stdout}${stderr}`);
    if (text.startsWith("start")) ids.push(JSON.parse(stdout).id);
  }
  const skill = join(folder, "skills/queuert-operations/SKILL.md");
  if (!existsSync(skill)) throw new Error("no skill was installed");
  await checkServer(folder, [...own, "mcp"]);
  await checkMoreCommands(folder, url);
};

const hello = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "smoke", version: "1" },
  },
};

/**
 * The command answers an agent, and ends with its input.
 * @param {string} folder
 * @param {readonly string[]} args
 */
const checkServer = async (folder, args) => {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let output = "";
  child.stdout.on("data", (/** @type {Buffer} */ data) => {
    output += data.toString();
    child.stdin.end();
  });
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  const [code] = await exited;
  if (code !== 0 || !output.includes("serverInfo"))
    throw new Error(`${args.at(-1)}: exit code ${code}\n${output}`);
};

/**
 * The same on the servers of the tests.
 * @param {string} folder
 */
export const checkCommandsOnServers = async (folder) => {
  const tsx = join(rootDir, "node_modules/tsx/dist/cli.mjs");
  const script = join(rootDir, "packages/test-services/src/serve.ts");
  const services = spawn(process.execPath, [tsx, script], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(services, "exit");
  try {
    const started = once(services.stdout, "data");
    const [line] = await Promise.race([started, ended.then(() => [""])]);
    for (const url of JSON.parse(String(line))) await checkCommands(folder, url);
  } finally {
    services.stdin.end();
    await ended;
  }
};
