import { createInterface } from "node:readline/promises";
import type { CommandContext } from "../command.ts";
import { type AnyPlan, planLines } from "./plan-text.ts";

type Answer = { readonly kind: "given"; readonly count: number } | { readonly kind: "needed" };

interface Confirmation {
  readonly mustAsk: boolean;
  readonly yes: boolean;
  readonly count: number | undefined;
}

/** `--yes` with the number, or the number typed in a terminal. A wrong number is refused by the plan itself. */
export const confirmPlan = async (
  { terminal, globals, signal }: CommandContext,
  plan: AnyPlan,
  { mustAsk, yes, count }: Confirmation,
): Promise<Answer> => {
  if (!mustAsk) return { kind: "given", count: plan.count };
  if (yes) return count === undefined ? { kind: "needed" } : { kind: "given", count };
  if (!terminal.isInteractive || globals.json === true) return { kind: "needed" };
  await terminal.write(`${planLines(plan).join("\n")}\n`);
  const word = String(plan.count);
  const isGiven = await isTyped(
    word,
    `Type ${word} to ${plan.action}, anything else to leave: `,
    signal,
  );
  return isGiven ? { kind: "given", count: plan.count } : { kind: "needed" };
};

/** Asks in the terminal. */
export const isTyped = async (
  word: string,
  question: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await questions.question(question, { signal })).trim() === word;
  } finally {
    questions.close();
  }
};
