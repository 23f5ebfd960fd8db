// Payloads as operators see them. Values are hidden before they leave the process.
import { InvalidOptionError } from "../../errors.ts";

/**
 * How payloads are shown. `masked`: only their structure. `redacted`: without the values of secret keys and of the paths in
 * `redact`. `raw`: all of them.
 */
export type PayloadView = "masked" | "redacted" | "raw";

/**
 * Paths in inputs and outputs whose values are hidden, by job type; `*` is every type. A path is `to`, `user.email` or
 * `items[*].price`.
 */
export type RedactOption = Readonly<Record<string, readonly string[]>>;

/** Names of keys whose values are secret in every payload. */
const secretKey =
  /pass(word|wd|phrase)?$|secret|token|authorization|cookie|api[-_]?key|private[-_]?key|card[-_]?(number|no)|cvv|cvc|iban|ssn|^pin$/i;

const hidden = "‹redacted›";

type Step = string | "*";

export class Redaction {
  readonly #paths = new Map<string, readonly (readonly Step[])[]>();

  constructor(option: RedactOption = {}) {
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
  show(text: string, typeName: string, view: PayloadView): string {
    if (view === "raw") return text;
    let value: unknown;
    try {
      value = JSON.parse(text) as unknown;
    } catch {
      // A broken payload is shown to no one: its parts are not known.
      return JSON.stringify(hidden);
    }
    const shown = view === "masked" ? mask(value) : this.#redact(value, this.#of(typeName), []);
    return JSON.stringify(shown);
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
