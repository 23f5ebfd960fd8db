// `pg` before 8.16 is CommonJS: an import of a name from it is a syntax error. No test with a newer version meets it.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("../src/", import.meta.url);

it("imports no value by its name from `pg`", () => {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const text = readFileSync(new URL(path, folder), "utf8");
      const imports = text.matchAll(/^import (?!type )(?:\w+, )?\{([^}]*)\} from "pg";$/gm);
      return [...imports]
        .flatMap(([, names = ""]) => names.split(","))
        .filter((name) => name.trim() !== "" && !name.trim().startsWith("type "))
        .map((name) => `${path}: ${name.trim()}`);
    });
  expect(found).toEqual([]);
});
