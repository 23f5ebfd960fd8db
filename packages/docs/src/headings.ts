/** The anchor of a heading, as the forge makes it: so one link works in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "");

/** The anchors of a page. */
export const anchorsOf = (markdown: string): Set<string> =>
  new Set(
    [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      anchorOf(heading.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")),
    ),
  );
