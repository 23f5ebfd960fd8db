// The files of a project: those of the templates, its manifest and its README.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Choices, servers } from "./choices.ts";
import { versions } from "./dependencies.ts";

/** From `src` and from `dist` alike. */
const templates = fileURLToPath(new URL("../templates", import.meta.url));

/** Where a package of Queuert comes from: its version, or the path of a tarball. */
export type VersionOf = (name: string) => string;

/** The content of each file, by its path from the folder of the project. A later template replaces an earlier one. */
export const projectFiles = (
  name: string,
  choices: Choices,
  versionOf: VersionOf,
): ReadonlyMap<string, string> => {
  const { store, client, framework } = choices;
  const folders = ["project", `stores/${store}`, `clients/${client.folder}`];
  const files = new Map(
    [...folders, ...(framework === "none" ? [] : [`frameworks/${framework}`])].flatMap((folder) =>
      filesOf(join(templates, folder)),
    ),
  );
  files.set("package.json", `${JSON.stringify(manifestOf(name, choices, versionOf), null, 2)}\n`);
  files.set("README.md", readmeOf(name, choices));
  return files;
};

const filesOf = (folder: string): [path: string, text: string][] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      // npm packs no file of the name .gitignore.
      const target = path.slice(folder.length + 1).replace(/^gitignore$/, ".gitignore");
      return [target.replaceAll("\\", "/"), readFileSync(path, "utf8")];
    });

const manifestOf = (name: string, { client, framework }: Choices, versionOf: VersionOf) => {
  const server = servers[framework];
  const toVersions = (names: readonly string[]) =>
    Object.fromEntries(
      [...new Set(names)].sort().map((each) => [each, versions[each] ?? versionOf(each)]),
    );
  return {
    name,
    private: true,
    type: "module",
    scripts: {
      ...(server.dev === undefined ? {} : { dev: server.dev }),
      "first-job": "tsx jobs/first-job.ts",
      // At each `npm install`: its files are in no repository.
      ...(client.name === "prisma" && { postinstall: "prisma generate" }),
      test: "tsx --test jobs/welcome.test.ts",
      typecheck: "tsc",
      worker: "tsx jobs/run-worker.ts",
    },
    dependencies: toVersions([...client.packages, ...server.packages]),
    devDependencies: toVersions([
      ...["@queuert/cli", "@types/node", "tsx", "typescript"],
      ...client.devPackages,
      ...server.devPackages,
    ]),
    ...(client.name === "mikro-orm" && { overrides: mikroOrmOverrides }),
  };
};

/** MikroORM 7.2 pins a Kysely that keeps the connection of a transaction whose ROLLBACK fails. */
const mikroOrmOverrides = {
  "@mikro-orm/sql": { kysely: "0.29.9" },
  "@mikro-orm/postgresql": { kysely: "0.29.9" },
};

const readmeOf = (name: string, { store, framework }: Choices): string => {
  const commands = [
    ...(store === "sqlite" ? [] : ["docker compose up --detach --wait   # the database"]),
    "npm run first-job                     # stores a user with a job, and runs the job",
    "npm test                              # the same, in a test that runs jobs when it says so",
    "npm run worker                        # a process that runs jobs",
    ...(framework === "none"
      ? []
      : ["npm run dev                           # the server: POST an email to /users"]),
    "npx queuert status                    # and: npx queuert --help",
  ];
  return `# ${name}

\`\`\`sh
${commands.join("\n").replaceAll("/users", framework === "next" ? "/api/users" : "/users")}
\`\`\`

- \`jobs/job-types.ts\`: the names, inputs and outputs of the jobs.
- \`jobs/welcome.ts\`: a start in a transaction of yours, and its worker.
- \`jobs/welcome.test.ts\`: their test.
- \`jobs/database.ts\`: your connection and your tables.
`;
};
