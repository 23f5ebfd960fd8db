// Links between documents of the repository become links between pages. Those to other files lead to the forge.
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { pages } from "./site-map.ts";
import { rootDir } from "./root.ts";

const forge = "https://github.com/queuert/queuert";
const pathOf = new Map(pages.map(({ source, path }) => [source, path]));

const link = /\]\(([^)\s]+)\)/g;
const onForge = new RegExp(`^${forge}/(?:blob|tree)/main/`);

/** The file of the repository that a link leads to, if it leads to one. */
const fileOf = (source: string, target: string): string | undefined => {
  if (onForge.test(target)) return target.replace(onForge, "");
  if (/^(https?:|mailto:|\/|#)/.test(target)) return undefined;
  return posix.normalize(posix.join(posix.dirname(source), target));
};

const toTarget = (source: string, given: string): string => {
  const [target = "", anchor] = given.split("#");
  const file = target === "" ? undefined : fileOf(source, target);
  if (file === undefined) return given;
  if (!existsSync(join(rootDir, file)))
    throw new Error(`${source} links to ${file}, which is not there`);
  const path = pathOf.get(file);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return path === undefined ? `${forge}/blob/main/${file}${hash}` : `${toAddress(path)}${hash}`;
};

export const toAddress = (path: string): string => (path === "index" ? "/" : `/${path}`);

/** A document with the links of the site. Pictures stay on the forge. */
export const withLinks = (source: string, markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```)/m)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replaceAll(link, (_, target: string) => `](${toTarget(source, target)})`),
    )
    .join("");

/** The links of a page to other pages, with their anchors. */
export const pageLinks = (markdown: string): { path: string; anchor: string | undefined }[] =>
  markdown
    .split(/^(```[\s\S]*?^```)/m)
    .filter((part) => !part.startsWith("```"))
    .flatMap((part) => [...part.matchAll(link)])
    .map(([, target = ""]) => target)
    .filter((target) => /^[/#]/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      return { path, anchor };
    });
