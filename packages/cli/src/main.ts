#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { runCli } from "./run-cli.ts";
import { readerGone } from "./run-command.ts";
import { isClosedPipe } from "./terminal.ts";

// From `src` and from `dist` alike.
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

const stop = new AbortController();
const { stdout, stderr, stdin } = process;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The second one ends the process at once.
  process.once(signal, () => stop.abort());
}
for (const stream of [stdout, stderr]) {
  stream.on("error", (error) => {
    if (!isClosedPipe(error)) throw error;
    stop.abort(readerGone);
  });
}

const place = {
  cwd: process.cwd(),
  env: process.env,
  streams: { stdout, stderr, stdin },
  signal: stop.signal,
};
// A driver may keep the event loop alive. All output has been written when the promise resolves.
process.exit(await runCli(process.argv.slice(2), place, manifest.version));
