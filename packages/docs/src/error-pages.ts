// One page for each code: the row of the page of errors, as a page of its own.
import { type ErrorEntry, parseErrorPage } from "../../cli/src/error-page.ts";
import { withLinks } from "./links.ts";

export const errorSource = "packages/core/docs/errors.md";

const toPage = ({ code, className, from, when, remedy }: ErrorEntry): string => `# ${code}

${className === null ? `A code of \`${from}\`.` : `\`${className}\` of \`${from}\`.`}

**When.** ${when}

**Remedy.** ${remedy}

All codes: [Errors by code](/errors). In a terminal: \`npx queuert explain-error ${code}\`.
`;

/** The page of each code, by its path. */
export const errorPages = (markdown: string): Map<string, string> =>
  new Map(
    parseErrorPage(markdown).map((entry) => [
      `errors/${entry.code}`,
      withLinks(errorSource, toPage(entry)),
    ]),
  );

/** The codes in the tables lead to their pages. */
export const withErrorLinks = (markdown: string): string =>
  markdown.replaceAll(/^\| `(QUEUERT_\w+)` \|/gm, "| [`$1`](/errors/$1) |");
