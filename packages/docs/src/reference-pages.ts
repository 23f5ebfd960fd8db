// The reference: one page for each import, with the exported names, their hovers, declarations and examples.
import { exportedNames, type ExportedName, parseSources } from "../../../scripts/tidy/exports.ts";
import { files, isTypeScript } from "../../../scripts/tidy/files.ts";
import { posix } from "node:path";

export interface ReferencePage {
  readonly path: string;
  /** The import, such as `@queuert/postgres/pg`. */
  readonly title: string;
  readonly markdown: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** Entry points for authors of adapters have a manual of their own, and programs have none. */
const isHidden = (subpath: string): boolean => /testing|internal|main/.test(subpath);

/** A comment without its marks, its examples and its tags. */
const proseOf = (hover: string): string =>
  hover
    .replaceAll(/^\/\*\*|\*\/$/g, "")
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .replace(/^@example\n```[\s\S]*?^```\n?/gm, "")
    .replaceAll(/^@throws (.+)$/gm, "Throws $1.")
    .trim();

/** Text of a comment is no HTML and no template. */
const asMarkdown = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;{"),
    )
    .join("");

const sectionOf = ({ name, hover, declaration, examples }: ExportedName): string =>
  [
    `## ${name}`,
    asMarkdown(proseOf(hover)),
    `\`\`\`ts\n${declaration}\n\`\`\``,
    ...examples.map((code) => `Example:\n\n\`\`\`ts\n${code.trimEnd()}\n\`\`\``),
  ].join("\n\n");

/** One page for each import of each public package. */
export const referencePages = (): ReferencePage[] => {
  const sources = parseSources(files.filter(isTypeScript));
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path));
  return manifests.flatMap((file) => {
    const { name, exports = {}, private: isPrivate } = JSON.parse(file.text) as Manifest;
    if (isPrivate === true) return [];
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const source = Object(target)["@queuert/source"] as string | undefined;
      if (source === undefined || isHidden(subpath)) return [];
      const title = posix.join(name, subpath);
      const names = exportedNames(posix.join(posix.dirname(file.path), source), sources);
      const sorted = [...new Map(names.map((each) => [each.name, each])).values()].sort(
        (a, b) => Number(b.isFunction) - Number(a.isFunction) || a.name.localeCompare(b.name),
      );
      const path = `api/${title.replace("@queuert/", "")}`;
      return [{ path, title, markdown: `# ${title}\n\n${sorted.map(sectionOf).join("\n\n")}\n` }];
    });
  });
};
