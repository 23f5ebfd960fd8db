// The page as a user reads it: each printed command runs, and prints the same. UPDATE_SNAPSHOT=1 writes the present output.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";
import { createStore, Driver, seed } from "./stores.ts";

const path = fileURLToPath(new URL("../README.md", import.meta.url));
const page = readFileSync(path, "utf8");

const consoleBlock = /^```console\n([\s\S]*?)^```/gm;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const agedMs = 2 * 3_600_000;

/**
 * Moves all that has happened two hours back. An age is then "2 h", however long the commands take. An age of 12 s would widen
 * the column of one of 9 s.
 */
const age = (filename: string): void => {
  const database = new Driver(filename);
  const names = (sql: string) => database.prepare(sql).pluck().all() as readonly string[]; // Each is a name.
  const tables = names(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'queuert_*'",
  );
  for (const table of tables) {
    const times = names(`SELECT name FROM pragma_table_info('${table}') WHERE name GLOB '*_at'`);
    for (const time of times) {
      const sql = `UPDATE ${table} SET ${time} = ${time} - ? WHERE ${time} <= ?`;
      database.prepare(sql).run(agedMs, Date.now());
    }
  }
  database.close();
};

/** Ids and times differ in each run. The page has numbered ids, and one second for each short duration. */
class Printed {
  readonly #ids = new Map<string, string>();

  toPage(text: string): string {
    return (
      text
        .replaceAll(uuid, (id) => this.#printedOf(id))
        .replaceAll(/[0-9a-f]{6}…([0-9a-f]{4})/g, (_, end: string) => this.#shortOf(end))
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\+00:00/g, "2026-11-19T09:00:00+00:00")
        // A number in a column stays at its right end.
        .replaceAll(/( *)\b\d+(?:\.\d)? m?s\b/g, (found, gap: string) =>
          gap.length < 2 || found.endsWith("  1 s") ? `${gap}1 s` : "1 s".padStart(found.length),
        )
        .replaceAll(/ +$/gm, "")
    );
  }

  toReal(text: string): string {
    const real = new Map([...this.#ids].map(([id, printed]) => [printed, id]));
    return text.replaceAll(uuid, (printed) => real.get(printed) ?? printed);
  }

  /** `0199a2…88a0`, of an id that was printed whole before. */
  #shortOf(end: string): string {
    const [, printed = ""] = [...this.#ids].find(([id]) => id.endsWith(end)) ?? [];
    return `${printed.slice(0, 6)}…${printed.slice(-4)}`;
  }

  #printedOf(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const number = String(this.#ids.size + 1).padStart(12, "0");
    const printed = `00000000-0000-7000-8000-${number}`;
    this.#ids.set(id, printed);
    return printed;
  }
}

/** The words of a shell's line, without its quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'([^']*)'|"([^"]*)"|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? "",
    ),
  );

const runBlock = async (project: Project, printed: Printed, block: string): Promise<string> => {
  const commands = block.split("\n").filter((line) => line.startsWith("$ queuert "));
  const lines: string[] = [];
  for (const line of commands) {
    const [, , ...args] = wordsOf(printed.toReal(line));
    const { stdout } = await project.terminal(["--profile", "production", ...args], {
      // Wide enough that no column is cut: the digits of a time would decide where.
      columns: 130,
      env: { NO_COLOR: "1" },
    });
    lines.push(line, printed.toPage(stdout));
  }
  return lines.map((line) => (line.endsWith("\n") || line === "" ? line : `${line}\n`)).join("");
};

it("prints the output of its commands", { timeout: 180_000 }, async () => {
  const project = createProject();
  const store = await createStore("sqlite", project.folder);
  await seed(store);
  age(join(project.folder, "app.db"));
  project.write(
    "queuert.config.mjs",
    `export default { url: ${JSON.stringify(store.url)}, profiles: { production: {} } };`,
  );
  const printed = new Printed();
  let actual = page;
  for (const [whole, block = ""] of page.matchAll(consoleBlock)) {
    actual = actual.replace(
      whole,
      `\`\`\`console\n${await runBlock(project, printed, block)}\`\`\``,
    );
  }
  if (process.env["UPDATE_SNAPSHOT"] === "1") writeFileSync(path, actual);
  else expect(page).toBe(actual);
});

it("has a config that loads", async () => {
  const [, block = ""] = /^```ts\n([\s\S]*?)^```/m.exec(page) ?? [];
  const project = createProject();
  project.write("queuert.config.ts", block);
  expect((await project.queuert(["--url", "sqlite:live.db", "migrate"])).exitCode).toBe(0);
  const { exitCode, stdout } = await project.queuert(["--profile", "production", "status"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("production · sqlite");
});
