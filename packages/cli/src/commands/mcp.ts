// The tools for agents on standard input and output, on the store of a config.
import { once } from "node:events";
import type * as mcp from "@queuert/mcp";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { loadPackage } from "../connect/load-package.ts";

interface McpCommandOptions {
  readonly allowWrites?: boolean;
  readonly payloads?: boolean;
}

export const addMcp: AddCommand = (program, run) => {
  program
    .command("mcp")
    .description("tools for agents on standard input and output; needs @queuert/mcp")
    .option("--allow-writes", "adds the tool that applies plans, which asks the person first")
    .option("--payloads", "shows payloads and logs, redacted")
    .action((options: McpCommandOptions) =>
      run((context) => serve(context, options), { isUnbounded: true }),
    );
};

type McpModule = typeof mcp;

const serve = async (
  context: CommandContext,
  { allowWrites = false, payloads = false }: McpCommandOptions,
): Promise<Report> => {
  const { config, client } = await context.access(allowWrites ? { writes: "mcp" } : {});
  const { createMcp } = await loadPackage<McpModule>(context.cwd, "@queuert/mcp");
  const { redact, redactText, environment } = config;
  const settings = {
    queuert: await client(),
    allowWrites,
    payloads,
    redact,
    redactText,
    environment,
  };
  const server = createMcp(settings).serveStdio();
  // The host ends it by closing the input.
  await Promise.race([once(process.stdin, "close"), untilAborted(context.signal)]);
  await server.close();
  return { json: {}, lines: [], isPrinted: true };
};

const untilAborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};
