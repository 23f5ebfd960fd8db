// How long an editor waits for the names of job types. After an edit, the completions of `typeName` in the same file are asked
// of tsserver. The program has 1,000 job types. The goal is a median of 200 ms.
//   tsx packages/core/bench/completion-latency.ts [rounds]
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { coreFolder } from "../test/types/compile.ts";
import { fixtures } from "./type-check-fixtures.ts";

const rounds = Number(process.argv[2] ?? 9);
const typeCount = 1_000;

const fromRoot = (path: string): string =>
  fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface Response {
  readonly type: "response" | "event";
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: unknown;
}

/** The requests to one server. `tell` is for those that it does not answer. */
const createRequests = ({ stdin, stdout }: ChildProcessWithoutNullStreams) => {
  const waiting = new Map<number, (response: Response) => void>();
  let seq = 0;
  createInterface({ input: stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const response = JSON.parse(line) as Response;
    waiting.get(response.request_seq ?? -1)?.(response);
  });
  const tell = (command: string, args: object): number => {
    seq++;
    stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: args })}\n`);
    return seq;
  };
  const ask = async (command: string, args: object): Promise<unknown> => {
    const { success, message, body } = await new Promise<Response>((resolve) => {
      waiting.set(tell(command, args), resolve);
    });
    if (success !== true) throw new Error(`${command}: ${message ?? "no answer"}`);
    return body;
  };
  return { tell, ask };
};

/** An edit of a line of its own, then the completions at the end of the file. */
const measure = async (server: ChildProcessWithoutNullStreams, file: string, text: string) => {
  const { tell, ask } = createRequests(server);
  const lines = text.split("\n");
  const last = lines.at(-1) ?? "";
  const place = { file, line: lines.length, offset: last.indexOf('""') + 2 };
  tell("open", { file, fileContent: text });
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const edited = { line: lines.length - 1, offset: 1 };
    const end = { endLine: edited.line, endOffset: 1 };
    tell("change", { file, ...edited, ...end, insertString: " " });
    const begun = performance.now();
    const body = await ask("completionInfo", { ...place, triggerCharacter: '"' });
    times.push(performance.now() - begun);
    const { entries } = body as { readonly entries: readonly { readonly name: string }[] };
    if (!entries.some(({ name }) => name === "t0")) throw new Error("the completions lack t0");
  }
  return times;
};

const median = (times: readonly number[]): number =>
  times.toSorted((first, second) => first - second)[times.length >> 1] ?? Number.NaN;

const folder = await mkdtemp(join(tmpdir(), "queuert-completions-"));
try {
  const config = {
    extends: fromRoot("tsconfig.test.base.json"),
    compilerOptions: { typeRoots: [fromRoot("node_modules/@types")] },
    files: ["fixture.mts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  for (const { name, source } of fixtures) {
    const typed = `\n\nvoid queuert.startJobSequence({ client, typeName: "" });`;
    const text = source(typeCount, coreFolder) + typed;
    const file = join(folder, "fixture.mts");
    await writeFile(file, text);
    const tsserver = fromRoot("node_modules/typescript/lib/tsserver.js");
    const server = spawn(process.execPath, [tsserver, "--suppressDiagnosticEvents"]);
    try {
      const [first = Number.NaN, ...others] = await measure(server, file, text);
      console.log(
        `${name}: first ${first.toFixed(0)} ms, then a median of ${median(others).toFixed(0)} ms`,
      );
    } finally {
      server.kill();
    }
  }
} finally {
  await rm(folder, { recursive: true });
}
