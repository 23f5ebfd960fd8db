import { InvalidOptionError } from "queuert";
import { assertInteger, assertMethods, assertObject } from "queuert/internal";
import type { TortureFault, UntypedOptions } from "./torture-options.ts";

export const allFaults: readonly TortureFault[] = ["kill", "freeze", "statement", "notification"];

/** The options that are not those of the client. The client checks the others. */
export const ownNames: ReadonlySet<string> = new Set([
  ...["worker", "start", "stateAdapter", "seed", "starts", "workers"],
  ...["faults", "stillMs", "check"],
]);

const assertFunction = (value: unknown, option: string): void => {
  if (typeof value !== "function") throw new InvalidOptionError(option, value, "give a function");
};

const countMax = 100_000;

/** Refuses options that are wrong, before anything is written. */
export const check = (options: UntypedOptions): void => {
  assertObject(options, "options");
  const { worker, start, stateAdapter, seed = 1, starts = 1, workers = 1, faults = [] } = options;
  assertFunction(worker, "worker");
  assertFunction(start, "start");
  if (stateAdapter !== undefined) {
    assertMethods(
      stateAdapter,
      "stateAdapter",
      ["createJobs"],
      "give a state adapter, or leave it out",
    );
  }
  if (options.check !== undefined) assertFunction(options.check, "check");
  assertInteger(seed, "seed", { min: 0, max: 0xff_ff_ff_ff });
  assertInteger(starts, "starts", { min: 1, max: countMax });
  assertInteger(workers, "workers", { min: 1, max: 100 });
  if (options.stillMs !== undefined) {
    assertInteger(options.stillMs, "stillMs", { min: 1, max: 3_600_000 });
  }
  if (!Array.isArray(faults) || faults.some((fault) => !allFaults.includes(fault))) {
    throw new InvalidOptionError("faults", faults, `give some of ${allFaults.join(", ")}`);
  }
};
