// Writes a config and a first worker, and prints the commands that come next. An existing file is never replaced.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { configText, packagesOf, type StoreKind, storeKinds, workerText } from "./init-files.ts";

interface InitOptions {
  readonly store?: string;
  readonly yes?: boolean;
}

export const addInit: AddCommand = (program, run) => {
  program
    .command("init")
    .description("write a config and a first worker into this folder")
    .option("--store <kind>", `${storeKinds.join(", ")}; default: by the packages of the project`)
    .option("-y, --yes", "ask nothing")
    .action((options: InitOptions) =>
      run((context) => init(context, options), { isUnbounded: true }),
    );
};

const init = async (context: CommandContext, options: InitOptions): Promise<Report> => {
  const { cwd } = context;
  const store = await chooseStore(context, options);
  const isTypeScript = existsSync(join(cwd, "tsconfig.json"));
  const extension = isTypeScript ? "ts" : "mjs";
  const config = `queuert.config.${extension}`;
  const worker = `queuert.worker.${extension}`;
  const existing = [config, worker].filter((name) => existsSync(join(cwd, name)));
  if (existing.length > 0) {
    return {
      json: { written: [], existing },
      lines: existing.map((name) => `${name} exists already: nothing was written`),
      exitCode: exitCodes.refused,
    };
  }
  writeFileSync(join(cwd, config), configText(store));
  writeFileSync(join(cwd, worker), workerText(store, isTypeScript));
  const missing = packagesOf(store).filter((name) => !dependenciesOf(cwd).has(name));
  const install = installCommand(cwd, missing);
  const commands = [
    ...(missing.length === 0 ? [] : [install]),
    "npx queuert migrate",
    isTypeScript ? `npx tsx ${worker}` : `node ${worker}`,
    "npx queuert start greet --input '\"Ada\"'",
    "npx queuert status",
  ];
  return {
    json: { written: [config, worker], store, commands },
    lines: [
      `wrote ${config}`,
      `wrote ${worker}`,
      "",
      "Next:",
      ...commands.map((each) => `  ${each}`),
    ],
  };
};

const chooseStore = async (
  { terminal, cwd, signal }: CommandContext,
  { store, yes }: InitOptions,
): Promise<StoreKind> => {
  if (store !== undefined) return toKind(store);
  const likely = likelyStore(cwd);
  if (yes === true) return likely;
  if (!terminal.isInteractive) {
    throw new CliUsageError("There is no terminal to ask: give --store, or --yes.");
  }
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const question = `Store (${storeKinds.join(", ")}) [${likely}]: `;
    const answer = (await questions.question(question, { signal })).trim();
    return answer === "" ? likely : toKind(answer);
  } finally {
    questions.close();
  }
};

const toKind = (text: string): StoreKind => {
  const kind = storeKinds.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new CliUsageError(`"${text}" is not a store: give one of ${storeKinds.join(", ")}.`);
};

/** The packages that the project names. */
const dependenciesOf = (cwd: string): ReadonlySet<string> => {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) return new Set();
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, object | undefined>;
  return new Set([
    ...Object.keys(manifest["dependencies"] ?? {}),
    ...Object.keys(manifest["devDependencies"] ?? {}),
  ]);
};

const likelyStore = (cwd: string): StoreKind => {
  const names = dependenciesOf(cwd);
  if (names.has("pg") || names.has("postgres") || names.has("@queuert/postgres")) return "postgres";
  return names.has("mongodb") || names.has("@queuert/mongodb") ? "mongodb" : "sqlite";
};

const lockFiles: readonly (readonly [file: string, command: string])[] = [
  ["pnpm-lock.yaml", "pnpm add"],
  ["yarn.lock", "yarn add"],
  ["bun.lock", "bun add"],
];

const installCommand = (cwd: string, packages: readonly string[]): string => {
  const found = lockFiles.find(([file]) => existsSync(join(cwd, file)));
  return `${found?.[1] ?? "npm install"} ${packages.join(" ")}`;
};
