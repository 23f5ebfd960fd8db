// The methods by which a test plans faults.
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertInteger, assertName, assertObject } from "../model/assert-option.ts";
import {
  createFault,
  type FaultOptions,
  type Faults,
  type FaultyMethod,
  faultyMethods,
} from "./faults.ts";
import type { CrashOptions } from "./test-queuert.ts";

const timesMax = 1_000_000;

interface FaultMethods {
  readonly crash: (options: CrashOptions<string>) => void;
  readonly failNext: (method: FaultyMethod, options?: FaultOptions) => void;
}

export const createFaultMethods = (faults: Faults): FaultMethods => ({
  crash: (options) => {
    assertObject(options, "options");
    assertKnownOptions(options, ["typeName", "attempt", "when"]);
    const { typeName, attempt = null, when = "afterSideEffects" } = options;
    assertName(typeName, "typeName");
    if (attempt !== null) assertInteger(attempt, "attempt", { min: 1, max: timesMax });
    assertOneOf(when, "when", ["beforeProcessing", "afterSideEffects"]);
    faults.planCrash({ typeName, attempt, when });
  },
  failNext: (method, options = {}) => {
    assertOneOf(method, "method", faultyMethods);
    assertKnownOptions(options, ["answerLost", "times", "error"]);
    if (options.times !== undefined) {
      assertInteger(options.times, "times", { min: 1, max: timesMax });
    }
    faults.planFault(createFault(method, options));
  },
});

const assertOneOf = (value: unknown, option: string, values: readonly string[]): void => {
  if (typeof value === "string" && values.includes(value)) return;
  const names = values.map((one) => `"${one}"`).join(", ");
  throw new InvalidOptionError(option, value, `give one of ${names}`);
};
