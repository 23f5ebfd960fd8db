// The table "Order of work" of ADAPTERS.md: the methods of each step, and the suites that pass with them.
import { readFileSync } from "node:fs";
import { stateSuites } from "queuert/testing";

type Method = keyof typeof stateSuites;

export interface Step {
  readonly number: string;
  readonly methods: readonly Method[];
  readonly suites: readonly Method[];
}

const page = readFileSync(new URL("../../ADAPTERS.md", import.meta.url), "utf8");

const isMethod = (word: string): word is Method => Object.hasOwn(stateSuites, word);

const methodsIn = (cell: string): readonly Method[] =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word).filter(isMethod);

/** The steps that write methods of the contract. */
export const stepsOfPage: readonly Step[] = [
  ...page.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm),
].flatMap(([, number = "", written = "", tested = ""]) => {
  const methods = methodsIn(written);
  const suites = tested.includes("of these names")
    ? [...methods, ...methodsIn(tested)]
    : methodsIn(tested);
  return suites.length === 0 ? [] : [{ number, methods, suites }];
});
