// For readers that are programs: `llms.txt` lists the pages, `llms-full.txt` has the documents, and each page is a file of Markdown.
import { toAddress } from "./links.ts";
import { sections } from "./site-map.ts";

const firstSentence = (markdown: string): string => {
  const [, text = ""] = /^# .+\n+([^\n#`|<-][^\n]*)/m.exec(markdown) ?? [];
  return text.split(/(?<=\.) /, 1)[0] ?? "";
};

/** The files beside the pages, by their names. */
export const llmsFiles = (staged: ReadonlyMap<string, string>): Map<string, string> => {
  const list = sections.map(({ title, pages }) => {
    const lines = pages.map(({ path, title: page }) => {
      const about = firstSentence(staged.get(path) ?? "");
      return `- [${page}](${toAddress(path === "index" ? "/index" : path).replace("//", "/")}.md): ${about}`;
    });
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  const head =
    "# Queuert\n\n> Background jobs that live in the database your application already has.";
  const documents = sections.flatMap(({ pages }) =>
    pages.map(({ path }) => staged.get(path) ?? ""),
  );
  return new Map([
    ["llms.txt", `${head}\n\n${list.join("\n\n")}\n`],
    ["llms-full.txt", documents.join("\n\n---\n\n")],
    ...[...staged].map(([path, markdown]): [string, string] => [`${path}.md`, markdown]),
  ]);
};
