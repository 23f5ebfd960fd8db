// The words that a shell completes: commands, their options, and the terms of filters. Made from the program itself.
import type { Command } from "commander";
import { filterTerms } from "queuert/operator";
import type { AddCommand } from "../command.ts";
import { CliUsageError } from "../errors.ts";

export const addCompletion: AddCommand = (program, run) => {
  program
    .command("completion")
    .description('print the completion of a shell: eval "$(queuert completion bash)"')
    .argument("<shell>", "bash, zsh or fish")
    .action((shell: string) =>
      run(async () => ({ json: null, lines: [scriptOf(shell, program)] })),
    );
};

const scriptOf = (shell: string, program: Command): string => {
  switch (shell) {
    case "bash":
      return bash(program);
    case "zsh":
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(program)}`;
    case "fish":
      return fish(program);
    default:
      throw new CliUsageError(
        `"${shell}" is not a shell with a completion: give bash, zsh or fish.`,
      );
  }
};

const filterWords = filterTerms.map(({ name }) => `${name}:`);

/** Commands whose arguments are terms of a filter. */
const filtered = new Set(["list", "failures", "export", "tail"]);

const optionsOf = (command: Command): string[] =>
  command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));

const wordsOf = (program: Command, command: Command): string[] => [
  ...command.commands.map((each) => each.name()),
  ...(filtered.has(command.name()) ? filterWords : []),
  ...optionsOf(command),
  ...optionsOf(program),
];

const bash = (program: Command): string => `_queuert() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="${[
    ...program.commands.map((each) => each.name()),
    ...optionsOf(program),
  ].join(" ")}"
  local word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
${program.commands
  .map((each) => `      ${each.name()}) words="${wordsOf(program, each).join(" ")}" ;;`)
  .join("\n")}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _queuert queuert`;

const fish = (program: Command): string =>
  [
    "complete -c queuert -f",
    ...program.commands.map(
      (each) =>
        `complete -c queuert -n __fish_use_subcommand -a ${each.name()} -d ${quoted(each.description())}`,
    ),
    ...program.commands.flatMap((each) =>
      optionsOf(each).map(
        (option) =>
          `complete -c queuert -n '__fish_seen_subcommand_from ${each.name()}' -l ${option.slice(2)}`,
      ),
    ),
    ...optionsOf(program).map((option) => `complete -c queuert -l ${option.slice(2)}`),
  ].join("\n");

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
