// Writes the version of core into the constant that its workers report. Run by the release, after `changeset version`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, rootDir } from "./workspace.mjs";

const core = join(rootDir, "packages/core");
const path = join(core, "src/worker/library-version.ts");
const { version } = readJson(join(core, "package.json"));
const text = readFileSync(path, "utf8");
writeFileSync(path, text.replace(/(libraryVersion = ")[^"]*/, `$1${version}`));
