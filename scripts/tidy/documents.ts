import { posix } from "node:path";
import { exists, type File } from "./files.ts";

const isDocument = ({ path }: File): boolean =>
  /(^|\/)(README|CLAUDE|ARCHITECTURE|ADAPTERS|HOW_IT_WORKS|RECIPES|MIGRATING|RELIABILITY|RESULTS|SECURITY|RELEASING)\.md$|\/(decisions|docs)\/[^/]+\.md$/.test(
    path,
  );

const codePath = /`([\w@./-]+\.(?:ts|tsx|mjs|md|json|ya?ml|sql))`/g;
/** Packed documents link to the rest of the repository by its address. */
const repositoryLink =
  /\]\(https:\/\/github\.com\/queuert\/queuert\/(?:blob|tree)\/main\/([^)#\s]+)/g;
const linkPath = /\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g;

/** A path may be written from the root, the document, its package or the package's sources. */
const candidates = (document: string, path: string): string[] => {
  const folder = posix.dirname(document);
  const packageFolder = /^packages\/[^/]+/.exec(document)?.[0];
  const bases = [folder, ".", ...(packageFolder ? [packageFolder, `${packageFolder}/src`] : [])];
  return bases.map((base) => posix.normalize(posix.join(base, path)));
};

/** Paths that a document names and that are not there. A bare file name is a name, not a path. */
export const missingPaths = (file: File): string[] => {
  if (!isDocument(file)) return [];
  const named = [
    ...[...file.text.matchAll(codePath)].filter(([, path = ""]) => path.includes("/")),
    ...file.text.matchAll(linkPath),
    ...file.text.matchAll(repositoryLink),
  ].map(([, path = ""]) => path);
  return [...new Set(named)]
    .filter((path) => !candidates(file.path, path).some(exists))
    .map((path) => `${file.path} names ${path}`);
};
