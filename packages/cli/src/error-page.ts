// The page of errors that `queuert` carries: each code with its reason and its remedy, without a network.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface ErrorEntry {
  readonly code: string;
  /** The class, or null where the code is that of an answer. */
  readonly className: string | null;
  /** The import of the class. */
  readonly from: string;
  /** In Markdown, as on the page. */
  readonly when: string;
  readonly remedy: string;
}

const row = /^\| `(QUEUERT_\w+)` \| (?:`(\w+)`|–) \| (.+) \| (.+) \|$/;

/** Code and links, as they stand in a terminal. */
const plain = (cell: string): string =>
  cell.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", "");

/** The entries of the page, in its order. */
export const parseErrorPage = (page: string): ErrorEntry[] => {
  let from = "";
  return page.split("\n").flatMap((line) => {
    from = /^## `(.+)`$/.exec(line)?.[1] ?? from;
    const [, code, className = null, when = "", remedy = ""] = row.exec(line) ?? [];
    if (code === undefined) return [];
    return [{ code, className, from, when, remedy }];
  });
};

/** The entries as plain text. */
export const readErrorPage = (): ErrorEntry[] => {
  const core = dirname(createRequire(import.meta.url).resolve("queuert/package.json"));
  const entries = parseErrorPage(readFileSync(join(core, "docs/errors.md"), "utf8"));
  return entries.map((entry) => ({
    ...entry,
    when: plain(entry.when),
    remedy: plain(entry.remedy),
  }));
};
