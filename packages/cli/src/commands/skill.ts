// The skill for agents: a file that tells them the order of their work. It is copied where the agent looks for skills.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliPackageMissingError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";

interface SkillOptions {
  readonly force?: boolean;
}

const skillName = "queuert-operations";

export const addSkill: AddCommand = (program, run) => {
  program
    .command("skill")
    .description("the skill for agents that operate jobs; needs @queuert/mcp")
    .command("install")
    .description(`copy the skill into a folder of skills, as ${skillName}/SKILL.md`)
    .argument("[folder]", "the folder in which the agent looks for skills", ".agents/skills")
    .option("--force", "replaces a file that differs")
    .action((folder: string, options: SkillOptions) =>
      run(async (context) => install(context, folder, options)),
    );
};

const install = ({ cwd }: CommandContext, folder: string, { force }: SkillOptions): Report => {
  const text = readFileSync(findSkill(cwd), "utf8");
  const path = join(cwd, folder, skillName, "SKILL.md");
  const name = relative(cwd, path);
  if (existsSync(path) && readFileSync(path, "utf8") !== text && force !== true) {
    return {
      json: { written: [], existing: [name] },
      lines: [`${name} exists already and differs: nothing was written; --force replaces it`],
      exitCode: exitCodes.refused,
    };
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { json: { written: [name], existing: [] }, lines: [`wrote ${name}`] };
};

/** That of the version that the project has. */
const findSkill = (cwd: string): string => {
  try {
    const manifest = createRequire(join(cwd, "noop.js")).resolve("@queuert/mcp/package.json");
    return join(dirname(manifest), "SKILL.md");
  } catch (error) {
    throw new CliPackageMissingError(["@queuert/mcp"], { cause: error });
  }
};
