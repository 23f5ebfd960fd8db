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
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const question = `Type ${plan.count} to ${plan.action}, anything else to leave: `;
    const answer = await questions.question(question, { signal });
    return answer.trim() === String(plan.count)
      ? { kind: "given", count: plan.count }
      : { kind: "needed" };
  } finally {
    questions.close();
  }
};
