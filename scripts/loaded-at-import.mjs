// The code that a built file loads when it is imported, without the code behind its `import()`.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Its bytes and files, those of its package that it imports in turn included, and the modules of others that they name.
 * @param {string} file
 */
export const loadedAtImport = (file) => {
  const files = new Set([file]);
  const /** @type {Set<string>} */ modules = new Set();
  let bytes = 0;
  for (const each of files) {
    if (!existsSync(each)) continue;
    const text = readFileSync(each, "utf8");
    bytes += Buffer.byteLength(text);
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*"([^"\n]+)";/g))
      if (specifier.startsWith(".")) files.add(join(dirname(each), specifier));
      else modules.add(specifier);
  }
  return { bytes, files: [...files], modules: [...modules].sort() };
};
