// The store of a test, with a time of its own. A database keeps its clock: instead, every stored instant moves back. Each instant
// that crosses the contract is moved forward by the same time. So a job that was created on the first day of a test stays so, and
// schedules go on through the calendar.
import { mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { TimeTravel } from "../adapters/time-travel.ts";
import { createInProcessStateAdapter } from "../in-process/create-in-process-state-adapter.ts";
import { TimeTravelError } from "./errors.ts";

export interface VirtualStore {
  readonly stateAdapter: AnyStateAdapter;
  /** By the clock of the test. */
  now(): Promise<Date>;
  /** Resolves when so much time has passed. */
  pass(ms: number): Promise<void>;
}

/** The in-process store has a clock that can be set. */
export const createInProcessVirtualStore = (): VirtualStore => {
  let passedMs = 0;
  let idCount = 0;
  const now = (): number => Date.now() + passedMs;
  return {
    stateAdapter: createInProcessStateAdapter({
      clock: { now },
      idGenerator: () => `job-${++idCount}`,
    }),
    now: async () => new Date(now()),
    pass: async (ms) => {
      passedMs += ms;
    },
  };
};

/** A database. Without `timeTravel` its time cannot pass. */
export const createVirtualStore = (
  inner: AnyStateAdapter,
  timeTravel: TimeTravel | undefined,
): VirtualStore => {
  let passedMs = 0;
  const translate = (adapter: object): object =>
    mapMethods(adapter, (method, name) =>
      callbackMethods.has(name)
        ? method
        : async (params, ...rest) =>
            moved(await method(moved(params, -passedMs), ...rest), passedMs),
    );
  const { operator } = inner;
  const stateAdapter = {
    ...translate(inner),
    ...(operator !== undefined && { operator: translate(operator) }),
    // Same keys, same signatures.
  } as AnyStateAdapter;
  return {
    stateAdapter,
    now: async () =>
      (await stateAdapter.operator?.readClock?.()) ?? new Date(Date.now() + passedMs),
    pass: async (ms) => {
      if (timeTravel === undefined) {
        throw new TimeTravelError(
          "give `createTestQueuert` the option `timeTravel`, from the subpath `/test` of the store's package",
        );
      }
      await timeTravel.shiftTimes(ms);
      passedMs += ms;
    },
  };
};

/** They take no instants, and run the caller's code. */
const callbackMethods: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

const dateMax = 8_640_000_000_000_000;

/** A copy with every instant moved. Payloads are texts, and contexts stay as they are. */
const moved = (value: unknown, ms: number): unknown => {
  if (ms === 0 || typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return new Date(Math.min(value.getTime() + ms, dateMax));
  if (Array.isArray(value)) return value.map((element) => moved(element, ms));
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    copy[key] = key === "context" ? member : moved(member, ms);
  }
  return copy;
};
