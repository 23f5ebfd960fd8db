import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { generatePrismaClient } from "../../../../scripts/prisma-client.mjs";

export const rootDir: string = fileURLToPath(new URL("../../../..", import.meta.url));

export interface Document {
  /** From the root of the repository. */
  readonly path: string;
  /** The package whose dependencies the program uses. */
  readonly package: string;
  /** Names that the document takes from another page, and tables of the user's. */
  readonly before?: string;
  /** Addresses as printed, and the variables that hold the addresses of the test's servers. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** The models of the client that `prisma generate` writes beside the program. */
  readonly prismaModels?: string;
  /** Another runtime than Node. */
  readonly runtime?: "bun";
}

const importStatement = /^import [\s\S]*?;\n/gm;

/** The TypeScript blocks of a page, in order. */
export const blocksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);

/**
 * One module of all blocks, as a reader would type them. A later block sees the names of earlier ones, and may use a
 * name again. Imports come first. An import that two blocks print is written once.
 */
export const programOf = (blocks: readonly string[], before = ""): string => {
  const imports = new Set<string>();
  const bodies = blocks.map((block) =>
    block.replaceAll(importStatement, (statement) => {
      for (const each of namesOf(statement)) imports.add(each);
      return "";
    }),
  );
  const own = before.replaceAll(importStatement, (statement) => {
    for (const each of namesOf(statement)) imports.add(each);
    return "";
  });
  return [
    ...imports,
    "{",
    own,
    ...bodies.map((body) => `{\n${body}`),
    "console.log('the end');\nprocess.exit(0);",
    "}".repeat(bodies.length + 1),
  ].join("\n");
};

/** One import for each name, so that duplicates are equal texts. */
const namesOf = (statement: string): string[] => {
  const match = /^import (type )?\{([\s\S]*)\} from ("[^"]+");/.exec(statement);
  if (match === null) return [statement.trim()];
  const [, type = "", names = "", from = ""] = match;
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => `import { ${type}${name} } from ${from};`);
};

/** Writes the program of a page into its package, where its imports resolve. Returns its path. */
export const writeProgram = ({
  path,
  package: owner,
  before,
  addresses = {},
  prismaModels,
}: Document): string => {
  let program = programOf(blocksOf(readFileSync(join(rootDir, path), "utf8")), before);
  for (const [printed, variable] of Object.entries(addresses)) {
    if (!program.includes(printed)) throw new Error(`${path} does not print ${printed}`);
    program = program.replaceAll(JSON.stringify(printed), `process.env.${variable}!`);
  }
  const name = path.replaceAll(/[/.]/g, "-").toLowerCase();
  const file = join(rootDir, "packages", owner, "build/documents", `${name}.ts`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${program}\n`);
  if (prismaModels !== undefined) writePrismaClient(dirname(file), prismaModels);
  return file;
};

const writePrismaClient = (folder: string, models: string): void => {
  mkdirSync(join(folder, "prisma"), { recursive: true });
  const generator =
    'generator client { \n provider = "prisma-client" \n output = "../generated/prisma" \n }';
  const source = 'datasource db { \n provider = "postgresql" \n }';
  writeFileSync(join(folder, "prisma/schema.prisma"), [generator, source, models].join("\n"));
  generatePrismaClient(folder);
};
