import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../src/", import.meta.url));

/** The sources that an entry loads with it: imports by value, without those that wait for a call. */
const loadedBy = (entry: string): readonly string[] => {
  const found = new Set([`${source}${entry}`]);
  for (const file of found) {
    const text = readFileSync(file, "utf8").replaceAll(/\b(?:import|export) type\b[^;]*;/g, "");
    for (const [, path = ""] of text.matchAll(/\bfrom "(\.[^"]+)"/g)) {
      found.add(fileURLToPath(new URL(path, `file://${file}`)));
    }
  }
  return [...found].map((file) => file.slice(source.length));
};

const isOperator = (file: string): boolean => file.startsWith("operator/");

describe("the operator layer", () => {
  it("is not loaded by a worker", () => {
    const files = loadedBy("index.ts");
    expect(files).toContain("worker/create-worker.ts");
    expect(files.filter(isOperator)).toEqual([]);
  });

  it("is loaded by its own export", () => {
    expect(loadedBy("operator.ts").filter(isOperator).length).toBeGreaterThan(15);
  });
});
