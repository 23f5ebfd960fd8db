// Builds the site into `packages/docs/build/site`: `pnpm docs`. With `--serve`, it is then served on this machine.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, serve } from "vitepress";
import { llmsFiles } from "./llms.ts";
import { stagePages } from "./stage-pages.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const staged = stagePages();
rmSync(join(folder, "build/pages"), { recursive: true, force: true });
for (const [path, markdown] of staged) write(join(folder, "build/pages", `${path}.md`), markdown);
// A link to a page that is not there fails the build.
await build(folder);
for (const [name, text] of llmsFiles(staged)) write(join(folder, "build/site", name), text);
console.log(`${staged.size} pages`);
if (process.argv.includes("--serve")) await serve({ root: folder });
