// The conditions of `status --check`: a fact, a relation, a limit.
import type { Attention } from "queuert/operator";
import { CliUsageError } from "../errors.ts";
import { formatCount, formatDuration, parseDuration } from "../output/durations.ts";
import type { Status } from "./status.ts";

interface Fact {
  readonly valueOf: (status: Status) => number;
  readonly isDuration?: boolean;
}

const attentionCount = ({ attention }: Status, kind: Attention["kind"]): number =>
  attention.filter((each) => each.kind === kind).reduce((sum, { count }) => sum + count, 0);

// No due job is not an old one.
const facts: Readonly<Record<string, Fact>> = {
  "oldest-due": { valueOf: ({ totals }) => totals.oldestDueMs ?? 0, isDuration: true },
  due: { valueOf: ({ totals }) => totals.due },
  pending: { valueOf: ({ totals }) => totals.pending },
  blocked: { valueOf: ({ totals }) => totals.blocked },
  running: { valueOf: ({ totals }) => totals.running },
  failed: { valueOf: ({ totals }) => totals.failed },
  "blocked-by-failed": { valueOf: (status) => attentionCount(status, "blocked_by_failed") },
  "expired-leases": { valueOf: (status) => attentionCount(status, "expired_leases") },
};

const relations: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "=": (value, limit) => value === limit,
};

export interface Check {
  readonly condition: string;
  readonly fact: Fact;
  readonly holds: (value: number) => boolean;
}

export interface CheckResult {
  readonly condition: string;
  readonly actual: string;
  readonly holds: boolean;
}

/** `oldest-due<5m failed<100`: separated by blanks, and all must hold. */
export const parseChecks = (text: string): Check[] => {
  const conditions = text.split(/\s+/).filter((part) => part !== "");
  if (conditions.length === 0) throw new CliUsageError("--check is empty: give a condition.");
  return conditions.map((condition) => {
    const parts = /^([a-z-]+)(<=|>=|<|>|=)(.+)$/.exec(condition);
    const [, name = "", relation = "", limit = ""] = parts ?? [];
    const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
    const compare = relations[relation];
    if (fact === undefined || compare === undefined) {
      throw new CliUsageError(
        `--check "${condition}" is not a condition. Write one of ${Object.keys(facts).join(", ")}, a relation ` +
          "(< <= > >= =) and a limit, such as oldest-due<5m.",
      );
    }
    const limitValue = fact.isDuration === true ? parseDuration(limit, "--check") : toCount(limit);
    return { condition, fact, holds: (value) => compare(value, limitValue) };
  });
};

const toCount = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new CliUsageError(`--check "${text}" is not a whole number.`);
};

export const evaluate = ({ condition, fact, holds }: Check, status: Status): CheckResult => {
  const value = fact.valueOf(status);
  const actual = fact.isDuration === true ? formatDuration(value) : formatCount(value);
  return { condition, actual, holds: holds(value) };
};
