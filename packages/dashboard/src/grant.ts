// Rights of the person behind a request. `authorize` gives them, and each request is checked against them on the server.
import type { Right } from "./api-types.ts";
import { DashboardError } from "./dashboard-error.ts";

/** `view` reads. `operate` also sees payloads, and retries, triggers, cancels, pauses and reads logs. `admin` may do all. */
export type Preset = "view" | "operate" | "admin";

/** The answer of `authorize`. Null: not signed in. */
export type Authorization =
  | Preset
  | { readonly user?: string | undefined; readonly rights: Preset | readonly Right[] }
  | null;

/** The rights of one request. */
export interface Grant {
  readonly user: string | null;
  readonly rights: ReadonlySet<Right>;
}

const presets: Readonly<Record<Preset, readonly Right[]>> = {
  view: ["read"],
  operate: ["read", "payload", "retry", "trigger", "cancel", "pause", "logs"],
  admin: [
    "read",
    "payload",
    "retry",
    "trigger",
    "cancel",
    "delete",
    "pause",
    "schedule",
    "start",
    "logs",
  ],
};

/** All rights, in the order of the API. */
export const allRights: readonly Right[] = presets.admin;

const readingRights: readonly Right[] = ["read", "payload", "logs"];

/** Reads the answer of `authorize`. A wrong answer is an error, never a right. */
export const toGrant = (given: unknown, isReadOnly: boolean): Grant | null => {
  if (given === null || given === undefined) return null;
  const { user, rights } =
    typeof given === "string" ? { user: undefined, rights: given } : parts(given);
  const named = typeof rights === "string" ? presetOf(rights) : rights;
  if (!Array.isArray(named) || !named.every(isRight)) throw wrongAnswer(given);
  if (user !== undefined && typeof user !== "string") throw wrongAnswer(given);
  const granted = isReadOnly ? named.filter((right) => readingRights.includes(right)) : named;
  return { user: user ?? null, rights: new Set<Right>(["read", ...granted]) };
};

const parts = (given: unknown): { readonly user?: unknown; readonly rights?: unknown } => {
  if (typeof given !== "object" || given === null) throw wrongAnswer(given);
  return given;
};

const presetOf = (name: string): readonly Right[] | undefined =>
  Object.hasOwn(presets, name) ? presets[name as Preset] : undefined;

const isRight = (right: unknown): right is Right => allRights.some((each) => each === right);

const wrongAnswer = (given: unknown): DashboardError =>
  new DashboardError(
    "QUEUERT_DASHBOARD_AUTHORIZE",
    `\`authorize\` returned ${typeof given === "string" ? JSON.stringify(given) : `a wrong ${typeof given}`}: ` +
      'return "view", "operate", "admin", { user, rights } or null.',
  );
