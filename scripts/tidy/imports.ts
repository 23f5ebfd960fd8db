import { posix } from "node:path";
import { type File, isTest } from "./files.ts";

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

export const specifiers = ({ text }: File): string[] =>
  [...text.matchAll(importPattern)].map(([, specifier = ""]) => specifier);

export const adapterPackages: readonly string[] = [
  "postgres",
  "sqlite",
  "mongodb",
  "redis",
  "nats",
  "otel",
];

const packageOf = (path: string): string => path.split("/")[1] ?? "";

/**
 * Adapters are written against the exports that core publishes for them, like adapters outside this
 * repository.
 */
export const adapterViolations = (file: File): string[] => {
  const own = packageOf(file.path);
  if (!adapterPackages.includes(own)) return [];
  const isSource = file.path.startsWith(`packages/${own}/src/`);
  const isTesting = isTest(file) || /\/src\/testing(\.ts$|\/)/.test(file.path);
  const allowed = ["queuert", "queuert/internal", ...(isTesting ? ["queuert/testing"] : [])];
  const isForbidden = (specifier: string): boolean => {
    if (/^queuert(\/|$)/.test(specifier)) return !allowed.includes(specifier);
    if (specifier.startsWith("@queuert/"))
      return isSource && !specifier.startsWith(`@queuert/${own}`);
    if (!specifier.startsWith(".")) return false;
    const target = posix.join(posix.dirname(file.path), specifier);
    return target.startsWith("packages/") && packageOf(target) !== own;
  };
  return specifiers(file)
    .filter(isForbidden)
    .map((specifier) => `${file.path} imports ${specifier}`);
};

// Core's folders and top-level files by layer: each imports from its own layer or from below.
const layers: readonly (readonly string[])[] = [
  [
    "model",
    "async",
    "defaults.ts",
    "errors.ts",
    "input-errors.ts",
    "payload-errors.ts",
    "queuert-error.ts",
    "schedule-errors.ts",
    "signal-errors.ts",
    "limit-errors.ts",
    "reschedule-error.ts",
  ],
  ["adapters", "job-types", "public-types", "queuert-types.ts"],
  ["observe", "after-commit", "adapter-kit", "payloads", "versioning"],
  ["lifecycle", "in-process", "schedules", "engine.ts"],
  ["worker", "client-engine.ts", "operator"],
  ["facade.ts", "late-calls.ts"],
  ["queuert.ts", "internal.ts"],
  ["index.ts", "operator.ts", "test-kit", "test.ts", "testing", "testing.ts", "web", "web.ts"],
];

const coreSource = "packages/core/src/";

const layerOf = (path: string): number => {
  const [top = ""] = path.slice(coreSource.length).split("/");
  return layers.findIndex((names) => names.includes(top));
};

export const coreLayerViolations = (file: File): string[] => {
  if (!file.path.startsWith(coreSource) || isTest(file)) return [];
  const own = layerOf(file.path);
  if (own < 0) return [`${file.path} is in no layer: add it to scripts/tidy/imports.ts`];
  return specifiers(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(file.path), specifier))
    .filter((target) => target.startsWith(coreSource) && layerOf(target) > own)
    .map((target) => `${file.path} imports ${target}, which is above it`);
};

const migrationPattern = /^packages\/[^/]+\/src\/migrations\/\d{4}-/;

/** A migration that was released never changes. It therefore depends on no code that may change. */
export const migrationViolations = (file: File): string[] => {
  const migrations = /^packages\/[^/]+\/src\/migrations\//.exec(file.path)?.[0];
  const valueImports = specifiers({
    ...file,
    text: file.text.replace(/\bimport type\b[^;]*;/g, ""),
  });
  if (migrationPattern.test(file.path))
    return valueImports.map((specifier) => `${file.path} imports ${specifier}`);
  return migrations !== undefined || isTest(file)
    ? []
    : specifiers(file)
        .map((specifier) => posix.join(posix.dirname(file.path), specifier))
        .filter((target) => migrationPattern.test(target))
        .map((target) => `${file.path} imports ${target}, which only its runner may`);
};
