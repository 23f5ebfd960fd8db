// A filter on the command line. The shell has taken the quotes of `error:"does not answer"` off: they are put back.
import { filterTerms } from "queuert/operator";

/** The arguments of a command as one filter. */
export const joinTerms = (terms: readonly string[]): string => terms.map(toTerm).join(" ");

const toTerm = (argument: string): string => {
  // A whole filter in one argument has its own quotes.
  if (argument.includes('"')) return argument;
  const parts = /^(-?[A-Za-z][\w$.-]*:)([\s\S]*\s[\s\S]*)$/.exec(argument);
  if (parts === null) return argument;
  const [, name = "", value = ""] = parts;
  // Several terms in one argument, such as --where 'status:failed type:a'.
  if (/\s-?[A-Za-z][\w$.-]*:/.test(value)) return argument;
  return `${name}"${value.replaceAll("\\", "\\\\")}"`;
};

const width = Math.max(...filterTerms.map(({ example }) => example.length).filter((n) => n < 30));

/** The terms of a filter, for the help of a command. */
export const filterHelp: string = `
Terms of a filter. All must hold; commas mean "or"; a leading - negates. A word without a name is an id or a text.
${filterTerms.map(({ example, help }) => `  ${example.padEnd(width)}  ${help}`).join("\n")}
  ${"input.user.id:42".padEnd(width)}  A value in the input, by its path.`;
