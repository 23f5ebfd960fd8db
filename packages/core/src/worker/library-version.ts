// The version of this release, as its workers report it. A bundled application has no package.json to read it from, so it is a
// constant: `scripts/set-version.mjs` writes it, and a test compares it.
export const libraryVersion = "0.1.0";
