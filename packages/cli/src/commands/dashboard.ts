// The dashboard in a browser, on the store of a config. It runs until Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type * as dashboard from "@queuert/dashboard";
import type { ServeDashboardOptions } from "@queuert/dashboard";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { loadPackage } from "../connect/load-package.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";

interface DashboardOptions {
  readonly port: string;
  readonly host: string;
  readonly hostName?: readonly string[];
  readonly auth?: string;
  readonly open?: boolean;
  readonly readOnly?: boolean;
}

export const addDashboard: AddCommand = (program, run) => {
  program
    .command("dashboard")
    .description("the dashboard in a browser, until Ctrl-C; needs @queuert/dashboard")
    .option("--port <number>", "the port; 0 takes a free one", "7400")
    .option(
      "--host <address>",
      "the address to listen on; another than this machine's needs --auth or QUEUERT_DASHBOARD_TOKEN",
      "127.0.0.1",
    )
    .option("--host-name <name...>", "names by which browsers reach the server")
    .option("--auth <user:password>", "asks for a password; default: a link that works once")
    .option("--open", "opens the link in the browser")
    .option("--read-only", "refuses every write")
    .action((options: DashboardOptions) =>
      run((context) => serve(context, options), { isUnbounded: true }),
    );
};

type DashboardModule = typeof dashboard;

const serve = async (context: CommandContext, options: DashboardOptions): Promise<Report> => {
  const { terminal, signal, cwd, env } = context;
  const port = parsePort(options.port);
  const password = parseAuth(options.auth);
  const { config, client } = await context.access();
  const { serveDashboard } = await loadPackage<DashboardModule>(cwd, "@queuert/dashboard");
  const settings: ServeDashboardOptions = {
    queuert: await client(),
    port,
    host: options.host,
    hostNames: options.hostName,
    password,
    token: env["QUEUERT_DASHBOARD_TOKEN"],
    readOnly: options.readOnly === true || config.readOnly === true,
    redact: config.redact,
    redactText: config.redactText,
    environment: config.environment,
    onError: (error) => void terminal.writeError(`${String(error)}\n`),
  };
  const { link, close } = await serveDashboard(settings);
  await terminal.write(`${link}\n`);
  if (options.open === true) openInBrowser(link);
  if (!signal.aborted) await once(signal, "abort");
  await close();
  return { json: { link }, lines: [], isPrinted: true, exitCode: exitCodes.done };
};

const parsePort = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliUsageError(`--port "${text}" is not a port. Give a number from 0 to 65535.`);
};

const parseAuth = (text: string | undefined): ServeDashboardOptions["password"] => {
  if (text === undefined) return undefined;
  const colon = text.indexOf(":");
  if (colon > 0 && colon < text.length - 1) {
    return { user: text.slice(0, colon), password: text.slice(colon + 1) };
  }
  throw new CliUsageError("--auth has no password. Give a name, a colon and a password.");
};

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** The link is printed too: a machine without a browser needs nothing else. */
const openInBrowser = (link: string): void => {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const opened = spawn(program, [...args, link], { stdio: "ignore", detached: true });
  opened.on("error", () => undefined);
  opened.unref();
};
