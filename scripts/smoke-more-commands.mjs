// The commands of the command line that need more than arguments, on a store, by the packed packages. `check` and `import` need a
// config. `tail` goes on until it is interrupted, and `top` needs a terminal.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootDir } from "./workspace.mjs";

const [done, usage, refused, interrupted] = [0, 2, 4, 130];

/**
 * @param {string} folder with the packages
 * @param {string} url of a store without unfinished jobs
 */
export const checkMoreCommands = async (folder, url) => {
  const program = join(folder, "node_modules/queuert/bin/queuert.mjs");
  const own = [process.execPath, program, "--url", url];
  checkWithConfig(folder, url, own);
  await checkTail(folder, own);
  await checkTop(folder, own);
};

/** @param {string} folder @param {readonly string[]} words @param {number} code */
const run = (folder, words, code) => {
  const [command = "", ...args] = words;
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
  if (status !== code)
    throw new Error(`${args.join(" ")}: exit code ${status}, not ${code}\n${stdout}${stderr}`);
  return stdout;
};

/** @param {string} folder @param {string} url @param {readonly string[]} own */
const checkWithConfig = (folder, url, own) => {
  const config = `import { defineUnionJobTypes } from "queuert";
export default { url: ${JSON.stringify(url)}, jobTypeDefinitions: defineUnionJobTypes({ greet: { entry: true } }) };
`;
  writeFileSync(join(folder, "catalogue.config.mjs"), config);
  const [node = "", program = ""] = own;
  const configured = [node, program, "--config", "catalogue.config.mjs"];
  run(folder, [...own, "check"], usage);
  run(folder, [...configured, "check"], done);
  const { library, isOther } = fillOtherLibrary(folder, url);
  if (library === null) {
    run(folder, [...configured, "import", "agenda"], usage);
    return;
  }
  // Jobs of other names stay where they are.
  const code = isOther ? refused : done;
  for (const flags of [[], ["--yes"]]) {
    const output = run(folder, [...configured, "import", library, "--json", ...flags], code);
    const { types } = JSON.parse(output);
    const greet = types.find((/** @type {{ name: string }} */ { name }) => name === "greet");
    if (greet?.moved !== 1) throw new Error(`${url}: import ${library}\n${output}`);
  }
  run(folder, [...own, "status", "--check", "pending=1"], done);
};

/**
 * Stores a job in the tables of the library whose jobs this store can take over.
 * @param {string} folder
 * @param {string} url
 * @returns {{ readonly library: string | null, readonly isOther: boolean }} `isOther`: there are jobs of other names, too
 */
const fillOtherLibrary = (folder, url) => {
  if (url.startsWith("postgres")) {
    const seed = join(rootDir, "packages/cli/test/seed-pg-boss.mjs");
    run(folder, [process.execPath, seed, url, new Date().toISOString()], done);
    return { library: "pg-boss", isOther: true };
  }
  if (!url.startsWith("mongodb")) return { library: null, isOther: false };
  const insert = `import { MongoClient } from "mongodb";
const client = new MongoClient(process.argv[1]);
await client.db().collection("agendaJobs").insertOne({ name: "greet", data: {}, nextRunAt: new Date() });
await client.close();`;
  run(folder, [process.execPath, "--input-type=module", "-e", insert, url], done);
  return { library: "agenda", isOther: false };
};

/**
 * @param {string} folder
 * @param {readonly string[]} words
 * @param {import("node:child_process").SpawnOptions["env"]} [env]
 */
const start = (folder, words, env = process.env) => {
  const [command = "", ...args] = words;
  const child = spawn(command, args, { cwd: folder, env, stdio: "pipe" });
  const ended = once(child, "exit");
  let output = "";
  const more = (/** @type {Buffer} */ data) => {
    output += data.toString();
  };
  child.stdout.on("data", more);
  child.stderr.on("data", more);
  return {
    child,
    /** @param {string} text */
    until: async (text) => {
      while (!output.includes(text)) {
        if (child.exitCode !== null)
          throw new Error(`${args.join(" ")}: ended without "${text}"\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    /** @param {number} expected */
    mustEnd: async (expected) => {
      const [code] = await ended;
      if (code !== expected)
        throw new Error(`${args.join(" ")}: exit code ${code}, not ${expected}\n${output}`);
    },
  };
};

/** @param {string} folder @param {readonly string[]} own */
const checkTail = async (folder, own) => {
  const tail = start(folder, [...own, "tail", "--logs", "--interval", "250ms"]);
  await tail.until("waiting for jobs to end");
  const { id } = JSON.parse(run(folder, [...own, "start", "greet", "--json"], done));
  run(folder, [...own, "complete", id, "--output", "true"], done);
  await tail.until(`greet  ${id}`);
  tail.child.kill("SIGINT");
  await tail.mustEnd(interrupted);
};

/** In a terminal, by `script` of util-linux. @param {string} folder @param {readonly string[]} own */
const checkTop = async (folder, own) => {
  run(folder, [...own, "top"], usage);
  const command = own.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const inTerminal = `stty cols 80 rows 24; exec ${command} top`;
  const top = start(
    folder,
    ["script", "--quiet", "--return", "--command", inTerminal, "/dev/null"],
    { ...process.env, TERM: "xterm" },
  );
  await top.until("q quits");
  top.child.stdin.write("q");
  await top.mustEnd(done);
};
