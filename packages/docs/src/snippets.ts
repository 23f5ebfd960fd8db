import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { rootDir } from "./root.ts";

const include = /^<<< (\S+?)(?: \[([^\]]+)\])?$/gm;

/** `<<< path [title]` becomes a block of code with the text of the file. Paths are from the root of the repository. */
export const withSnippets = (markdown: string): string =>
  markdown.replaceAll(include, (_, path: string, title?: string) => {
    const code = readFileSync(join(rootDir, path), "utf8").trimEnd();
    const language = extname(path).slice(1) || "text";
    return `\`\`\`${language}${title === undefined ? "" : ` [${title}]`}\n${code}\n\`\`\``;
  });
