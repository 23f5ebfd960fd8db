// The sequences that a test has started, and the comparison of them with an expectation.
import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../engine.ts";
import { isPlainObject } from "../model/json-problem.ts";
import { fromJsonText } from "../model/payload.ts";
import type { JobStatus } from "../model/status.ts";
import { describeMs, type Duration, toMs } from "./duration.ts";

/** A sequence that was started, by its first job. */
export interface StartedSequence<TTypeName extends string = string, TInput = unknown> {
  readonly id: string;
  readonly typeName: TTypeName;
  readonly input: TInput;
  /** That of the sequence. */
  readonly status: JobStatus;
  readonly createdAt: Date;
  /** When the first job was to run. After a retry: when its last attempt was due. */
  readonly scheduledAt: Date;
  readonly priority: number;
  readonly deduplicationKey: string | null;
}

/** Which starts an expectation is about. */
export interface ExpectedStart {
  /** A part of the input: each of its properties has to be equal. Default: any input. */
  readonly input?: unknown;
  /** From the start to the due time, to a second. Default: any time. */
  readonly scheduledIn?: Duration | undefined;
  /** How many such starts there are. Default: one or more. */
  readonly times?: number | undefined;
}

const pageSize = 1_000;

/** The newest job of the store before the test: earlier ones are of other tests. */
export const newestOrdinal = async ({ state }: Engine): Promise<number | null> => {
  const filters = { sequenceId: null, rootSequenceId: null, createdFrom: null, createdTo: null };
  const [newest] = await state.listJobs({
    ...filters,
    typeNames: null,
    statuses: null,
    order: "desc",
    limit: 1,
    afterOrdinal: null,
  });
  return newest?.ordinal ?? null;
};

/** In the order of their starts. */
export const listStarted = async (
  { state, codec }: Engine,
  typeName: string | undefined,
  since: number | null,
): Promise<readonly StartedSequence[]> => {
  const found: StartedSequence[] = [];
  for (let afterOrdinal = since; ;) {
    const page = await state.listSequences({
      typeNames: typeName === undefined ? null : [typeName],
      statuses: null,
      rootSequenceId: null,
      createdFrom: null,
      createdTo: null,
      order: "asc",
      limit: pageSize,
      afterOrdinal,
    });
    for (const { first, current } of page) {
      found.push({
        id: first.id,
        typeName: first.typeName,
        input: fromJsonText(first.input, first.id, codec),
        status: current.status,
        createdAt: first.createdAt,
        scheduledAt: first.scheduledAt,
        priority: first.priority,
        deduplicationKey: first.deduplicationKey,
      });
      afterOrdinal = first.ordinal;
    }
    if (page.length < pageSize) return found;
  }
};

const toleranceMs = 1_000;

export const matches = (started: StartedSequence, expected: ExpectedStart): boolean => {
  const { createdAt, scheduledAt } = started;
  if ("input" in expected && !isPart(expected.input, started.input)) return false;
  if (expected.scheduledIn === undefined) return true;
  const delayMs = scheduledAt.getTime() - createdAt.getTime();
  return Math.abs(delayMs - toMs(expected.scheduledIn, "scheduledIn")) <= toleranceMs;
};

/** Whether every property of the expected value is equal. In an input without a codec, a Date is its ISO text. */
const isPart = (expected: unknown, actual: unknown): boolean => {
  if (typeof expected !== "object" || expected === null) return Object.is(expected, actual);
  // Such as `expect.any(String)` of Vitest and Jest.
  const { asymmetricMatch } = expected as { readonly asymmetricMatch?: unknown };
  if (typeof asymmetricMatch === "function") return asymmetricMatch.call(expected, actual) === true;
  if (expected instanceof Date && typeof actual === "string") {
    return expected.toISOString() === actual;
  }
  if (!Array.isArray(expected) && !isPlainObject(expected)) {
    return isDeepStrictEqual(expected, actual);
  }
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(expected) !== Array.isArray(actual)) return false;
  if (Array.isArray(expected) && expected.length !== (actual as readonly unknown[]).length) {
    return false;
  }
  return Object.entries(expected).every(([key, value]) =>
    isPart(value, (actual as Readonly<Record<string, unknown>>)[key]),
  );
};

const textLengthMax = 200;

/** A value of a test, in a message of its own. */
export const describeInput = (value: unknown): string => {
  const text = JSON.stringify(value, toShown) ?? "undefined";
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}…`;
};

export const describeStarted = ({
  typeName,
  input,
  createdAt,
  scheduledAt,
}: StartedSequence): string => {
  const delayMs = scheduledAt.getTime() - createdAt.getTime();
  const due = delayMs <= toleranceMs ? "now" : `in ${describeMs(delayMs)}`;
  return `${typeName} ${describeInput(input)} ${due}`;
};

/** Values of a codec that JSON would refuse or empty. */
const toShown = (_key: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`;
  return value instanceof Map || value instanceof Set ? [...value] : value;
};
