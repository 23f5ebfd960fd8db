// The job types that workers of this client implement. Without a catalogue, no other names are known at run time: a misspelt
// name is stored, and its job waits for ever. So the nearest name is reported once.
import { nearNames } from "../model/assert-known-options.ts";
import type { Observer } from "../observe/observer.ts";

/** More names than this are not checked: names that contain user data must not fill the memory. */
const checkedMax = 1_000;

export class ImplementedTypes {
  readonly #observer: Observer;
  readonly #isNeeded: boolean;
  readonly #names = new Set<string>();
  readonly #checked = new Set<string>();

  constructor(observer: Observer, hasCatalogue: boolean) {
    this.#observer = observer;
    this.#isNeeded = !hasCatalogue;
  }

  /** Empty with a catalogue. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** A worker starts with these types. */
  add(typeNames: readonly string[]): void {
    if (!this.#isNeeded) return;
    for (const typeName of typeNames) this.#names.add(typeName);
  }

  /** A job of this type is about to be stored. Workers of other processes may implement it, so it is not refused. */
  check(typeName: string): void {
    if (this.#names.size === 0 || this.#names.has(typeName) || this.#checked.has(typeName)) return;
    if (this.#checked.size >= checkedMax) return;
    this.#checked.add(typeName);
    const nearTypeNames = nearNames(typeName, this.#names);
    if (nearTypeNames.length === 0) return;
    this.#observer.emit("jobTypeNotImplemented", () => ({ typeName, nearTypeNames }));
  }
}
