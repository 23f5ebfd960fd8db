// Each command line that a text names is one that the program takes: the remedies of explanations, of errors and of the docs.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import { createOperator, type Explanation } from "queuert/operator";
import { createStateSteps } from "queuert/testing";
import { describe, expect, it } from "vitest";
import type { ConfiguredStateAdapter } from "../src/config/define-config.ts";
import { createProgram } from "../src/run-cli.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const quiet = { write: () => true } as unknown as NodeJS.WriteStream;

/** The words of a command line behind `queuert`, as a shell gives them to the program. */
const wordsOf = (line: string): string[] =>
  execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

/** Parses a command line, and does not run it. Answers the names that it is about; null: it was not taken. */
const parse = async (line: string): Promise<readonly string[] | null> => {
  let parsed: Command | undefined;
  const streams = { stdout: quiet, stderr: quiet };
  const program = createProgram(streams, "0.0.0", () => Promise.resolve());
  program.hook("preAction", (_, command) => {
    parsed = command;
  });
  try {
    await program.parseAsync(wordsOf(line), { from: "user" });
  } catch (error) {
    // The help of a command that is there.
    return (error as { code?: unknown }).code === "commander.helpDisplayed" ? [] : null;
  }
  return parsed?.args ?? null;
};

const commandNames = createProgram(
  { stdout: quiet, stderr: quiet },
  "0.0.0",
  async () => {},
).commands.map((command) => command.name());

/** Names that a shell or the program would read as something else. */
const nastyIds = (): (() => string) => {
  const endings = ["-x", "it's a job", "$HOME `id`"];
  let count = 0;
  return () => `${endings[count++ % endings.length]}${count}`;
};

const nastyType = "--all 'types'";

/** A store whose jobs are in each situation that has a remedy, and their explanations. */
const explanations = async (): Promise<readonly Explanation[]> => {
  // Due jobs have been due for minutes.
  const clock = { now: () => Date.now() - 300_000 };
  const full = createInProcessStateAdapter({ clock, idGenerator: nastyIds() });
  // Without a registry of workers, none is known to be missing.
  const stateAdapter = { ...full, operator: undefined } as unknown as ConfiguredStateAdapter;
  const queuert = await createQueuert({
    ...{ stateAdapter, jobTypeDefinitions: defineUnionJobTypes<object>(), log: () => undefined },
  });
  const steps = createStateSteps(full as never);
  const failed = await steps.createFailed({ typeName: "failed" });
  const waiting = await steps.createBlocked([failed]);
  const later = await steps.createOne({ schedule: { afterMs: 3_600_000 } });
  const due = await steps.createOne({ typeName: "due" });
  const blocker = await steps.createRunning({ typeName: "blocker" });
  const failing = await steps.createBlocked([blocker], { onBlockerFailure: "fail" });
  await steps.fail(blocker);
  const cancelled = await steps.createOne();
  const refused = await steps.createBlocked([cancelled]);
  await steps.cancel([cancelled], { dependants: "fail" });
  const paused = await steps.createOne({ typeName: nastyType });
  const operator = createOperator({ queuert });
  const explained: Explanation[] = [];
  for (const { id } of [failed, waiting, later, due, failing, refused]) {
    explained.push(await operator.explain({ id }));
  }
  await queuert.pause({ jobTypes: [nastyType] } as never);
  explained.push(await operator.explain({ id: paused.id }));
  await queuert.pause({ everything: true });
  explained.push(await operator.explain({ id: due.id }));
  return explained;
};

describe("a remedy of an explanation", () => {
  it("is a command line that names its jobs or its type, also by unusual names", async () => {
    const remedies = (await explanations()).flatMap((each) => each.remedies);
    const seen = new Set<string>();
    for (const { action, command, ids } of remedies) {
      if (command === null) continue;
      seen.add(action);
      expect(command).toMatch(/^queuert /);
      const names = action === "resume" && !command.endsWith(" --all") ? [nastyType] : ids;
      expect(await parse(command.replace("queuert ", "")), command).toEqual(names);
    }
    expect([...seen].sort()).toEqual([
      "cancel",
      "check_health",
      "delete",
      "resume",
      "retry",
      "trigger",
    ]);
  });
});

/** The files of the repository that users read: docs, and the texts in the sources. */
const sources = execFileSync("git", ["ls-files", "*.md", "packages/*/src/*", "packages/*/app/*"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(md|tsx?)$/.test(path) && !path.startsWith("packages/create-queuert/"));

const named =
  /(?:`|^\$ |^(?=npx )|^ {2}| {3}|retry the first group: )(?:npx )?queuert ([a-z][a-z-]*(?: [^`\n]*?)?)(?=\\?`| {3}|$)/gm;

/** The command lines of a text. A name alone is that of a command, and its arguments are left out. */
const linesOf = (text: string): string[] =>
  [...text.matchAll(named)].flatMap(([, line = ""]) =>
    line.includes("${") ? [] : [line.replaceAll(/ #.*$/g, "").trim()],
  );

const found = sources.flatMap((path) =>
  linesOf(readFileSync(root + path, "utf8")).map((line) => [path, line] as const),
);

describe("a command line of a page or of an error", () => {
  it("is found in the pages, in the errors and in the sources", () => {
    const paths = new Set(found.map(([path]) => path));
    expect([...paths]).toEqual(
      expect.arrayContaining([
        "packages/cli/README.md",
        "packages/core/docs/errors.md",
        "packages/cli/src/errors.ts",
      ]),
    );
  });

  it("is one that the program takes", async () => {
    const refused: string[] = [];
    for (const [path, line] of found) {
      const isTaken = line.includes(" ")
        ? (await parse(line.replaceAll(/<[\w -]+>/g, "a-name"))) !== null
        : commandNames.includes(line);
      if (!isTaken) refused.push(`${path}: ${line}`);
    }
    expect(refused).toEqual([]);
  });
});
