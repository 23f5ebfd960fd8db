// Each bullet of the contract is a promise with a case of the same wording. This reads the contract as text and looks for
// the cases; a promise that no case can show is named here, with the reason.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { limitKeySuites, stateRaceSuites, stateSuites } from "../../src/testing.ts";

const contractPaths = ["state-adapter", "limit-key-store"].map(
  (name) => new URL(`../../src/adapters/${name}.ts`, import.meta.url),
);

/** The bullets between a comment's start and its end, each as one line of text. */
const bulletsOf = (source: string): string[] => {
  const comments = source.match(/\/\*\*[\s\S]*?\*\//g) ?? [];
  return comments.flatMap((comment) => {
    const lines = comment.split("\n").map((line) => line.replace(/^\s*\/?\*+\/?\s?/, ""));
    const bullets: string[] = [];
    for (const line of lines) {
      if (line.startsWith("- ")) bullets.push(line.slice(2));
      else if (line.startsWith("  ") && bullets.length > 0) {
        bullets.push(`${bullets.pop() ?? ""} ${line.trim()}`);
      }
    }
    return bullets;
  });
};

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

/** How a sentence begins: enough to know it by. */
const opening = (sentence: string): string => words(sentence).split(" ").slice(0, 6).join(" ");

/** No case of a store can show these; another proof, named here, does. */
const shownElsewhere: Readonly<Record<string, string>> = {
  "cost does not grow with finished": "the adapters' benchmarks and plans",
  "costs one probe of an index": "the adapters' own tests of plans",
  "one statement per table however many": "the adapters' own tests, which see their statements",
  "another store has another identity": "test/in-process/store-id.test.ts, with two stores",
  "a store whose identity was deleted": "the adapters' own tests, which can empty its table",
  "in one transaction or without a":
    "mongodb/test/fail-dependants.test.ts: only that store bounds its transactions",
  "rejects when the commit fails or": "the adapters' own tests, which can make one fail",
  "at stricter isolation levels a serialization":
    "races run such a transaction again, see `isTransactionConflict`",
};

describe("the state contract", () => {
  const bullets = contractPaths.flatMap((path) => bulletsOf(readFileSync(path, "utf8")));
  const sentences = bullets.flatMap((bullet) => bullet.split(/(?<=\.)\s+/));
  const suites = [...Object.values(stateSuites).flat(), ...limitKeySuites, ...stateRaceSuites];
  const titles = suites.flatMap(({ cases }) => cases.map(({ title }) => words(title)));

  it("has bullets", () => {
    expect(bullets.length).toBeGreaterThan(40);
  });

  for (const sentence of sentences) {
    const start = opening(sentence);
    if (Object.keys(shownElsewhere).some((known) => start.startsWith(known))) continue;
    it(`has a case for: ${sentence}`, () => {
      expect(titles.filter((title) => title.includes(start))).not.toEqual([]);
    });
  }
});
