// Expectations about the starts of a test: functions that throw, for `node:test`, and matchers for Vitest and Jest.
import { AssertionError } from "node:assert";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertInteger, hasMethods } from "../model/assert-option.ts";
import { describeMs, toMs } from "./duration.ts";
import {
  describeInput,
  describeStarted,
  type ExpectedStart,
  matches,
  type StartedSequence,
} from "./started.ts";

/** The part of a test client that expectations read. */
export interface StartedReader {
  started(): Promise<readonly StartedSequence[]>;
}

interface Comparison {
  readonly pass: boolean;
  readonly message: () => string;
}

const compare = async (
  test: unknown,
  typeName: string,
  expected: ExpectedStart = {},
): Promise<Comparison> => {
  if (!hasMethods(test, ["started"])) {
    throw new InvalidOptionError("test", test, "give the result of `createTestQueuert`");
  }
  assertKnownOptions(expected, ["input", "scheduledIn", "times"]);
  const { times } = expected;
  if (times !== undefined) {
    assertInteger(times, "times", { min: 0, max: Number.MAX_SAFE_INTEGER });
  }
  const all = await (test as StartedReader).started();
  const found = all.filter((one) => one.typeName === typeName && matches(one, expected));
  const pass = times === undefined ? found.length > 0 : found.length === times;
  return { pass, message: () => describe(typeName, expected, all, { pass, count: found.length }) };
};

const describe = (
  typeName: string,
  expected: ExpectedStart,
  all: readonly StartedSequence[],
  { pass, count }: { readonly pass: boolean; readonly count: number },
): string => {
  const { scheduledIn, times } = expected;
  const parts = [
    `${pass ? "Expected no start" : "Expected a start"} of "${typeName}"`,
    ...("input" in expected ? [`with input ${describeInput(expected.input)}`] : []),
    ...(scheduledIn === undefined
      ? []
      : [`due in ${describeMs(toMs(scheduledIn, "scheduledIn"))}`]),
    ...(times === undefined ? [] : [`${times} times, and found ${count}`]),
  ];
  const found = all.length === 0 ? ["nothing"] : all.map(describeStarted);
  return `${parts.join(" ")}.\nStarted: ${found.join("\n         ")}`;
};

/**
 * Rejects unless such a sequence was started. The error lists the sequences that were.
 *
 * @example
 * ```ts
 * await assertStarted(test, "report", { scheduledIn: { days: 30 }, times: 1 });
 * ```
 */
export const assertStarted = async (
  test: StartedReader,
  typeName: string,
  expected?: ExpectedStart,
): Promise<void> => {
  const { pass, message } = await compare(test, typeName, expected);
  if (!pass) throw new AssertionError({ message: message(), operator: "assertStarted" });
};

/**
 * Rejects if such a sequence was started.
 *
 * @example
 * ```ts
 * await assertNotStarted(test, "report");
 * ```
 */
export const assertNotStarted = async (
  test: StartedReader,
  typeName: string,
  expected?: ExpectedStart,
): Promise<void> => {
  const { pass, message } = await compare(test, typeName, expected);
  if (pass) throw new AssertionError({ message: message(), operator: "assertNotStarted" });
};

/** For `expect.extend` of Vitest and Jest. The matchers are asynchronous: `await expect(test).toHaveStarted("send-mail")`. */
export const queuertMatchers: { readonly toHaveStarted: typeof compare } = {
  toHaveStarted: compare,
};

/** The types of the matchers, to extend those of Vitest or Jest with. */
export interface QueuertMatchers<TResult = unknown> {
  /** Such a sequence was started since the test client was created. */
  toHaveStarted(typeName: string, expected?: ExpectedStart): Promise<TResult>;
}
