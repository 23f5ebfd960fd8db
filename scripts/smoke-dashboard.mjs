// The dashboard as a new user meets it, each time in Chromium: by `npx queuert dashboard`, and beside the demo.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { rootDir, run } from "./workspace.mjs";

/** From the command to the page. */
const pageWithinMs = 60_000;

const dashboard = join(rootDir, "packages/dashboard");

/**
 * @param {string} link
 * @param {string} text
 */
const openPage = (link, text) => {
  const tsx = join(rootDir, "node_modules/tsx/dist/cli.mjs");
  const script = join(dashboard, "test/browser/first-page.ts");
  const args = [tsx, "--conditions=@queuert/source", script, link, text];
  const code = run(process.execPath, args, { timeout: pageWithinMs });
  if (code !== 0) throw new Error(`the page ${link} did not show "${text}"`);
};

/**
 * Starts a command that serves the dashboard, opens its page, and interrupts the command.
 * @param {object} given
 * @param {readonly [string, ...string[]]} given.command
 * @param {string} given.cwd
 * @param {string} given.text the page shows it
 * @param {RegExp} [given.until] the command prints it before it is interrupted
 */
const serveAndOpen = async ({ command: [name, ...args], cwd, text, until = /./ }) => {
  const begun = performance.now();
  // A group of its own: an interrupt reaches the programs that it has started.
  const child = spawn(name, args, { cwd, detached: true });
  child.stdin.end();
  child.stderr.pipe(process.stderr);
  const ended = once(child, "exit");
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ data) => (output += data));
  /** @param {RegExp} pattern */
  const printed = async (pattern) => {
    for (let found = pattern.exec(output); ; found = pattern.exec(output)) {
      if (found !== null) return found[0];
      const isOver = await Promise.race([
        once(child.stdout, "data").then(() => false),
        ended.then(() => true),
      ]);
      if (isOver) throw new Error(`${name} has ended without ${pattern}:\n${output}`);
    }
  };
  try {
    openPage(await printed(/http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/), text);
    const tookMs = performance.now() - begun;
    console.log(`✓ ${name} ${args.join(" ")}: a page after ${(tookMs / 1_000).toFixed(1)} s`);
    if (tookMs > pageWithinMs) throw new Error("the page came too late");
    await printed(until);
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    await ended;
  }
};

/**
 * In a folder with the installed packages, and a store with a job of the type `greet`.
 * @param {string} cwd
 */
export const checkDashboard = (cwd) =>
  serveAndOpen({
    command: ["npx", "--no-install", "queuert", "dashboard", "--port", "0"],
    cwd,
    text: "greet",
  });

export const checkDemo = () =>
  serveAndOpen({
    command: ["pnpm", "demo", "--dashboard"],
    cwd: rootDir,
    text: "approve-account",
    until: /stays open until Ctrl-C/,
  });
