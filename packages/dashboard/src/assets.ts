// The built files of the page. They are read once, and found by their names only: no path of a request reaches the disk.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { DashboardError } from "./dashboard-error.ts";

interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly compressed: Uint8Array<ArrayBuffer>;
}

export interface Assets {
  readonly script: string;
  readonly style: string;
  readonly byName: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

// Sources are run by the tests and the demo of this repository: the built page lies beside them.
const isSource = /\/src\/[\w-]+\.ts$/.test(import.meta.url);
const folder = new URL(isSource ? "../dist/assets/" : "./assets/", import.meta.url);

let loaded: Assets | undefined;

/** The assets of this package. */
export const loadAssets = (): Assets => (loaded ??= readAssets());

const readAssets = (): Assets => {
  const { script, style, files } = readManifest();
  const byName = new Map(
    files.map((name) => {
      const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
      const type = types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
      return [name, { type, bytes, compressed: new Uint8Array(gzipSync(bytes)) }] as const;
    }),
  );
  return { script, style, byName };
};

const readManifest = (): Manifest => {
  try {
    return JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as Manifest;
  } catch (error) {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_ASSETS_MISSING",
      "The files of the page were not found beside the code of @queuert/dashboard. " +
        "A bundler must leave the package out: mark it as external.",
      { cause: error },
    );
  }
};

/** The answer to a request for a file of the page. Its name has a hash of its content, so it never changes. */
export const assetAnswer = (name: string, acceptEncoding: string): Response | null => {
  const asset = loadAssets().byName.get(name);
  if (asset === undefined) return null;
  const isCompressed = /\bgzip\b/.test(acceptEncoding);
  return new Response(isCompressed ? asset.compressed : asset.bytes, {
    headers: {
      "content-type": asset.type,
      "cache-control": "private, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(isCompressed && { "content-encoding": "gzip" }),
    },
  });
};

/** The page itself. It has no text of a job. */
export const pageAnswer = (base: string): Response => {
  const { script, style } = loadAssets();
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Queuert</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}assets/${style}">
<script type="module" src="${base}assets/${script}"></script>
</head>
<body><div id="app"></div><noscript>The dashboard needs JavaScript.</noscript></body>
</html>
`;
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
};
