// Payloads as operators see them. Values are hidden before they leave the process.
import { InvalidOptionError } from "../../errors.ts";

/**
 * How payloads are shown. `masked`: only their structure. `redacted`: without the values of secret keys and of the paths in
 * `redact`. `raw`: all of them.
 */
export type PayloadView = "masked" | "redacted" | "raw";

/** A payload that a function redacts. `log`: the data of a line that an attempt logged. */
export interface PayloadToRedact {
  readonly typeName: string;
  readonly field: "input" | "output" | "log";
  readonly value: unknown;
}

/**
 * The hidden parts of inputs and outputs. Paths by job type, where `*` is every type and a path is `to`, `user.email` or
 * `items[*].price`. Or a function that returns the value as it may be shown; undefined hides it whole.
 */
export type RedactOption =
  Readonly<Record<string, readonly string[]>> | ((payload: PayloadToRedact) => unknown);

/** Returns an error, or a line that an attempt logged, as it may be shown. */
export type RedactTextOption = (text: string) => string;

/** Names of keys whose values are secret in every payload. */
const secretKey =
  /pass(word|wd|phrase)?$|secret|token|authorization|cookie|api[-_]?key|private[-_]?key|card[-_]?(number|no)|^card$|cvv|cvc|iban|ssn|^pin$/i;

const hidden = "‹redacted›";

type Step = string | "*";

export class Redaction {
  readonly #paths = new Map<string, readonly (readonly Step[])[]>();
  readonly #change: (payload: PayloadToRedact) => unknown = ({ value }) => value;

  constructor(option: RedactOption = {}) {
    if (typeof option === "function") {
      this.#change = option;
      return;
    }
    for (const [typeName, paths] of Object.entries(option)) {
      if (!Array.isArray(paths)) {
        throw new InvalidOptionError(`redact.${typeName}`, paths, "give an array of paths");
      }
      this.#paths.set(
        typeName,
        paths.map((path) => toSteps(path, typeName)),
      );
    }
  }

  /** The JSON text of a payload as it may be shown. */
  show(
    text: string,
    { typeName, field }: Pick<PayloadToRedact, "typeName" | "field">,
    view: PayloadView,
  ): string {
    if (view === "raw") return text;
    try {
      const value = JSON.parse(text) as unknown;
      if (view === "masked") return JSON.stringify(mask(value));
      const changed = this.#change({ typeName, field, value }) ?? (value === null ? null : hidden);
      return JSON.stringify(this.#redact(changed, this.#of(typeName), []));
    } catch {
      // A broken payload is hidden: its parts are not known. So is one that the function of the user cannot redact.
      return JSON.stringify(hidden);
    }
  }

  /** Whether the values at a path are hidden in some type: a search there would tell them. */
  hides(path: readonly string[]): boolean {
    if (path.some((step) => secretKey.test(step))) return true;
    return [...this.#paths.values()].flat().some((hiddenPath) => isPrefix(hiddenPath, path));
  }

  #of(typeName: string): readonly (readonly Step[])[] {
    return [...(this.#paths.get("*") ?? []), ...(this.#paths.get(typeName) ?? [])];
  }

  #redact(value: unknown, paths: readonly (readonly Step[])[], at: readonly string[]): unknown {
    if (paths.some((path) => path.length === at.length && isPrefix(path, at))) return hidden;
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#redact(item, paths, [...at, String(index)]));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        secretKey.test(key) ? hidden : this.#redact(item, paths, [...at, key]),
      ]),
    );
  }
}

const isPrefix = (path: readonly Step[], at: readonly string[]): boolean =>
  path.length <= at.length && path.every((step, index) => step === "*" || step === at[index]);

const toSteps = (path: unknown, typeName: string): readonly Step[] => {
  const remedy = "give paths such as `to`, `user.email` or `items[*].price`";
  if (typeof path !== "string" || path === "") {
    throw new InvalidOptionError(`redact.${typeName}`, path, remedy);
  }
  const steps = path.replaceAll(/\[(\*|\d+)\]/g, ".$1").split(".");
  if (steps.includes("")) throw new InvalidOptionError(`redact.${typeName}`, path, remedy);
  return steps;
};

/** The structure of a payload, without its values. */
const mask = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.length === 0 ? [] : [mask(value[0]), `‹${value.length} in all›`];
  if (value === null) return "‹null›";
  if (typeof value === "string") return `‹string ${value.length}›`;
  if (typeof value !== "object") return `‹${typeof value}›`;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mask(item)]));
};
