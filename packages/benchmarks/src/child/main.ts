// A measured process: one participant, which executes the commands that the harness sends over the
// pipe.
import { createCommands } from "./commands.ts";
import type { Reply, Request } from "./protocol.ts";

const send = (reply: Reply, sent?: () => void): void =>
  void process.send?.(reply, undefined, undefined, sent);

const commands = createCommands((ran) => send({ kind: "progress", ran }));

const answer = async ({ id, name, options }: Request): Promise<void> => {
  try {
    // The harness has built name and options as a pair; the pipe forgets that.
    const run = commands[name] as (options: unknown) => Promise<unknown>;
    const value = await run(options);
    // In good order, and not by a signal: that is when a profile is written.
    send({ kind: "answer", id, value }, name === "close" ? () => process.exit(0) : undefined);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    send({ kind: "error", id, message });
  }
};

process.on("message", (request: Request) => void answer(request));
// The harness has gone, so the measurement has no reader.
process.on("disconnect", () => process.exit(1));
