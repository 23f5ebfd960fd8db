// The Markdown of every page, ready to be built: documents with the links of the site, codes of errors, and the reference.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorPages, errorSource, withErrorLinks } from "./error-pages.ts";
import { withLinks } from "./links.ts";
import { referencePages } from "./reference-pages.ts";
import { rootDir } from "./root.ts";
import { pages } from "./site-map.ts";
import { withSnippets } from "./snippets.ts";

const stageDocument = (source: string): string => {
  const markdown = readFileSync(join(rootDir, source), "utf8");
  const linked = withLinks(source, withSnippets(markdown));
  return source === errorSource ? withErrorLinks(linked) : linked;
};

/** The Markdown of each page, by its path without `.md`. */
export const stagePages = (): Map<string, string> => {
  const documents = pages.map(({ path, source }): [string, string] => [
    path,
    stageDocument(source),
  ]);
  const errors = readFileSync(join(rootDir, errorSource), "utf8");
  const reference = referencePages();
  const list = reference.map(({ path, title }) => `- [\`${title}\`](/${path})`).join("\n");
  return new Map([
    ...documents,
    ...errorPages(errors),
    ["api/index", `# Reference by import\n\n${list}\n`],
    ...reference.map(({ path, markdown }): [string, string] => [path, markdown]),
  ]);
};
