import { createInterface } from "node:readline/promises";
import { type Choices, chooseBy, clients, frameworks, type Store, stores } from "./choices.ts";

export interface Answers {
  readonly store?: string | undefined;
  readonly client?: string | undefined;
  readonly framework?: string | undefined;
}

/** Asks for each choice that no flag has made. Without a terminal, or with `--yes`, the first of each list is taken. */
export const ask = async (given: Answers, isInteractive: boolean): Promise<Choices> => {
  if (!isInteractive) {
    const { store = "sqlite", client, framework = "none" } = given;
    return chooseBy({ store, client, framework });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const choose = async (question: string, names: readonly string[]): Promise<string> => {
    const list = names.map((name, index) => `  ${index + 1}  ${name}`).join("\n");
    for (;;) {
      const answer = (await terminal.question(`${question}\n${list}\n[1] `)).trim() || "1";
      const chosen = names[Number(answer) - 1] ?? names.find((name) => name === answer);
      if (chosen !== undefined) return chosen;
    }
  };
  try {
    const store = given.store ?? (await choose("Where are the jobs stored?", stores));
    // A wrong flag is refused before the next question.
    chooseBy({ store, framework: given.framework ?? "none" });
    const names = clients[store as Store].map(({ name }) => name);
    const client = given.client ?? (await choose("Which driver or ORM?", names));
    const framework = given.framework ?? (await choose("Which framework?", frameworks));
    return chooseBy({ store, client, framework });
  } finally {
    terminal.close();
  }
};
