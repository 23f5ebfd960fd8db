// The name under which the record of actions has the changes of this program.
import type { CommandContext } from "../command.ts";

/** The user of the shell. CI often has none. */
export const userOf = ({ env }: Pick<CommandContext, "env">): string => {
  const name = env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? "";
  return name === "" ? "cli" : `cli·${name}`;
};
