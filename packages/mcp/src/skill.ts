// The skill: the order in which an agent works. Hosts that know the extension for skills read it from the server.
import { readFileSync } from "node:fs";
import { skillEntry, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";

const folder = "queuert-operations";
const uri = `skill://${folder}/SKILL.md`;

const readSkill = (): string => readFileSync(new URL("../SKILL.md", import.meta.url), "utf8");

/** Serves the skill of this package. One extension is for any number of servers. */
export const createSkill = (): SkillsExtension => {
  const text = readSkill();
  const entry = skillEntry(folder, { "SKILL.md": text });
  return new SkillsExtension({
    source: {
      list: async () => ({ skills: [await entry] }),
      get: async (asked) => (asked === uri ? entry : undefined),
      read: async (asked) => (asked === uri ? { text, mimeType: "text/markdown" } : undefined),
    },
  });
};
