// The repairs of `doctor --fix`: missing migrations, and leases of vanished workers that no worker takes. All else needs a decision.
import type { CommandContext, StoreAccess } from "../command.ts";
import { isTyped } from "./confirm.ts";

/** One repair. Its text begins with a verb. */
export interface Fix {
  readonly fix: "migrate" | "release_leases";
  readonly text: string;
  readonly apply: () => Promise<void>;
}

/** Leases of one statement. */
const leasesAtOnce = 500;

/** The repairs that would help now. Jobs are looked at only if the schema is usable. */
export const planFixes = async (access: StoreAccess): Promise<readonly Fix[]> => {
  const { schema } = access.store;
  const missing = (await schema?.plan())?.missing ?? [];
  if (schema !== undefined && missing.length > 0) {
    const text = `apply missing migrations: ${missing.join(", ")}`;
    const migrate = async (): Promise<void> => {
      await schema.migrate({ lockTimeoutMs: undefined });
    };
    return [{ fix: "migrate", text, apply: migrate }];
  }
  const { attention } = await (await access.operator()).getOverview();
  const expired = attention.find(({ kind }) => kind === "expired_leases");
  if (expired === undefined) return [];
  return [
    {
      fix: "release_leases",
      text: `make jobs due whose workers have vanished: ${expired.count}`,
      apply: () => releaseLeases(access),
    },
  ];
};

/** As a worker does it. Jobs whose workers are alive hold unexpired leases. */
const releaseLeases = async (access: StoreAccess): Promise<void> => {
  const state = await access.state();
  for (;;) {
    const released = await state.reclaimExpiredLeases({ limit: leasesAtOnce });
    if (released.length < leasesAtOnce) return;
  }
};

/** `--yes`, or the word typed in a terminal. */
export const confirmFixes = async (
  { terminal, globals, signal }: CommandContext,
  fixes: readonly Fix[],
  yes: boolean,
): Promise<boolean> => {
  if (yes) return true;
  if (!terminal.isInteractive || globals.json === true || globals.jsonl === true) return false;
  await terminal.write(`${fixLines(fixes).join("\n")}\n`);
  return isTyped("yes", "Type yes to repair, anything else to leave: ", signal);
};

export const fixLines = (fixes: readonly Fix[]): readonly string[] =>
  fixes.map(({ text }) => `would ${text}`);
