// The codes of errors in the sources, and those of the page that explains them.
import type { File } from "./files.ts";

/** Environment variables look like codes. */
const variables = new Set([
  "QUEUERT_CONFIG",
  "QUEUERT_DASHBOARD_TOKEN",
  "QUEUERT_DATABASE_URL",
  "QUEUERT_SEED",
]);

/** Private packages, and texts of the suites. */
const isOurs = ({ path }: File): boolean =>
  !/^packages\/(benchmarks|docs|examples|test-services|torture)\//.test(path) &&
  !path.includes("/src/testing/");

/** Each code that a text of the sources has, in their order. */
export const errorCodes = (sources: readonly File[]): string[] => {
  const found = sources
    .filter(isOurs)
    .flatMap(({ text }) => [...text.matchAll(/["'`](QUEUERT_[A-Z0-9_]+)/g)])
    .map(([, code = ""]) => code)
    .filter((code) => !variables.has(code) && !code.endsWith("_"));
  return [...new Set(found)];
};

/** The codes of the page whose rows have four cells, none of them empty. */
export const listedErrorCodes = (page: string): string[] =>
  [...page.matchAll(/^\| `(QUEUERT_\w+)` \| \S+ \| [^|]+[^| ] \| [^|]+[^| ] \|$/gm)].map(
    ([, code = ""]) => code,
  );
