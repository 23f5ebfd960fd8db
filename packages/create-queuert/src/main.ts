#!/usr/bin/env node
// `npm create queuert`: asks three questions, writes a project, and ends with its first job run and its test passed.
import { parseArgs } from "node:util";
import { ask } from "./ask.ts";
import { clients, frameworks, stores, UsageError } from "./choices.ts";
import { runProject } from "./run-project.ts";
import { writeProject } from "./write-project.ts";

const help = `npm create queuert@latest [folder] -- [options]

  --store <name>       ${stores.join(", ")}
  --client <name>      the driver or the ORM:
${stores.map((store) => `                         ${store}: ${clients[store].map(({ name }) => name).join(", ")}`).join("\n")}
  --framework <name>   ${frameworks.join(", ")}
  -y, --yes            ask nothing: the first of each list
  --no-install         install nothing
  --no-run             run neither the first job nor its test
  --tarballs <folder>  packages of Queuert from tarballs instead of the registry
  -h, --help           this text

PostgreSQL and MongoDB: the server of the variable DATABASE_URL, one on this machine, or docker compose.`;

const readFlags = () =>
  parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      store: { type: "string" },
      client: { type: "string" },
      framework: { type: "string" },
      yes: { type: "boolean", short: "y", default: false },
      install: { type: "boolean", default: true },
      run: { type: "boolean", default: true },
      tarballs: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });

const create = async (): Promise<number> => {
  const { values, positionals } = readFlags();
  if (values.help) {
    console.log(help);
    return 0;
  }
  const isInteractive = !values.yes && process.stdin.isTTY && process.stdout.isTTY;
  const choices = await ask(values, isInteractive);
  const [folder = "my-jobs"] = positionals;
  const startedAt = performance.now();
  const paths = writeProject(folder, choices, values.tarballs);
  console.log(`${folder}: ${paths.length} files`);
  const steps = { install: values.install, firstJob: values.run };
  const left = await runProject(folder, choices.store, steps);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  if (left.length === 0) {
    console.log(
      `\nThe first job has run and its test has passed, in ${seconds} s. Read ${folder}/README.md.`,
    );
    return 0;
  }
  console.log(
    `\nGo on with:\n\n  cd ${folder}\n${left.map((command) => `  ${command}`).join("\n")}`,
  );
  return values.install && values.run ? 1 : 0;
};

try {
  process.exitCode = await create();
} catch (error) {
  const isUsage =
    error instanceof UsageError ||
    String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");
  if (!isUsage) throw error;
  console.error(`${(error as Error).message} See --help.`);
  process.exitCode = 2;
}
