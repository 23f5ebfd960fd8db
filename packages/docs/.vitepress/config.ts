import { defineConfig } from "vitepress";
import { anchorOf } from "../src/headings.ts";
import { referencePages } from "../src/reference-pages.ts";
import { sections } from "../src/site-map.ts";

const toItem = ({ path, title }: { readonly path: string; readonly title: string }) => ({
  text: title,
  link: path === "index" ? "/" : `/${path}`,
});

export default defineConfig({
  title: "Queuert",
  description: "Background jobs that live in the database your application already has",
  srcDir: "build/pages",
  outDir: "build/site",
  cacheDir: "build/cache",
  cleanUrls: true,
  // Pages are plain Markdown: a `<name>` in a sentence is text.
  markdown: { html: false, anchor: { slugify: anchorOf } },
  // Blocks of code in the reference are long.
  vite: { build: { chunkSizeWarningLimit: 5_000 } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Quick start", link: "/quick-start" },
      { text: "Reference", link: "/api/" },
    ],
    sidebar: [
      ...sections.map(({ title, pages }) => ({ text: title, items: pages.map(toItem) })),
      { text: "Reference by import", collapsed: true, items: referencePages().map(toItem) },
    ],
  },
});
