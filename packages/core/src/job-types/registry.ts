// The job types at run time. With a catalogue, the compiler's checks are repeated here, for calls
// that no compiler has seen. Without one every check passes.
import {
  BlockersMismatchError,
  ContinuationNotAllowedError,
  InvalidPayloadError,
  NotAnEntryJobTypeError,
  SignalMismatchError,
  UnknownJobTypeError,
} from "../errors.ts";
import type { RuntimeCatalogueEntry } from "./catalogue.ts";
import type { JobTypes } from "./define-job-types.ts";
import { nearNames } from "../model/assert-known-options.ts";
import { type PayloadOwner, type PayloadRules, toJsonText } from "../model/payload.ts";
import type { JsonText } from "../model/state-job.ts";
import type { StandardSchemaResult, StandardSchemaV1 } from "./standard-schema.ts";

export interface Registry {
  /** The names of all job types; null: not known at run time. */
  readonly typeNames: ReadonlySet<string> | null;
  /** Whether inputs of this type are checked. */
  hasInputSchema(typeName: string): boolean;
  assertKnown(typeName: string): void;
  /** That a sequence can start with this type; implies `assertKnown`. */
  assertEntry(typeName: string): void;
  /** That this type is a signal, or that it is none; implies `assertKnown`. */
  assertSignal(typeName: string, isSignal: boolean): void;
  /** That a job of the first type can continue to the second; implies `assertKnown` of both. */
  assertContinuation(fromTypeName: string, toTypeName: string): void;
  /** Whether jobs of this type wait for blockers; undefined if that is not known. */
  expectsBlockers(typeName: string): boolean | undefined;
  /** That these are the types of the blockers it declares, in order. */
  assertBlockers(typeName: string, blockerTypeNames: readonly string[]): void;
  /** The input as its schema leaves it. A promise only if the schema is asynchronous. */
  parseInput(typeName: string, input: unknown): unknown;
  /** The output as its schema leaves it. A promise only if the schema is asynchronous. */
  parseOutput(typeName: string, output: unknown): unknown;
}

export const createRegistry = (jobTypes: Pick<JobTypes<unknown>, "catalogue">): Registry =>
  jobTypes.catalogue === undefined
    ? registryOfNothing
    : createCatalogueRegistry(new Map(Object.entries(jobTypes.catalogue)));

const registryOfNothing: Registry = {
  typeNames: null,
  hasInputSchema: () => false,
  assertKnown: () => undefined,
  assertEntry: () => undefined,
  assertSignal: () => undefined,
  assertContinuation: () => undefined,
  expectsBlockers: () => undefined,
  assertBlockers: () => undefined,
  parseInput: (_typeName, input) => input,
  parseOutput: (_typeName, output) => output,
};

const createCatalogueRegistry = (entries: ReadonlyMap<string, RuntimeCatalogueEntry>): Registry => {
  const entryOf = (typeName: string): RuntimeCatalogueEntry => {
    const entry = entries.get(typeName);
    if (!entry) throw new UnknownJobTypeError(typeName, nearNames(typeName, entries.keys()));
    return entry;
  };

  return {
    typeNames: new Set(entries.keys()),
    hasInputSchema: (typeName) => entryOf(typeName).input !== undefined,
    assertKnown(typeName) {
      entryOf(typeName);
    },
    assertEntry(typeName) {
      const { entry, signal } = entryOf(typeName);
      if (signal === true) throw new SignalMismatchError(typeName, true);
      if (entry !== true) throw new NotAnEntryJobTypeError(typeName);
    },
    assertSignal(typeName, isSignal) {
      const actual = entryOf(typeName).signal === true;
      if (actual !== isSignal) throw new SignalMismatchError(typeName, actual);
    },
    assertContinuation(fromTypeName, toTypeName) {
      entryOf(toTypeName);
      if (!Object.hasOwn(entryOf(fromTypeName).continuesTo ?? {}, toTypeName)) {
        throw new ContinuationNotAllowedError(fromTypeName, toTypeName);
      }
    },
    expectsBlockers: (typeName) => hasBlockers(entryOf(typeName)),
    assertBlockers(typeName, blockerTypeNames) {
      for (const blockerTypeName of blockerTypeNames) entryOf(blockerTypeName);
      assertBlockerNames(typeName, entryOf(typeName).blockers ?? [], blockerTypeNames);
    },
    parseInput: (typeName, input) => parse(entryOf(typeName).input, typeName, "input", input),
    parseOutput: (typeName, output) => parse(entryOf(typeName).output, typeName, "output", output),
  };
};

const hasBlockers = ({ blockers = [] }: RuntimeCatalogueEntry): boolean =>
  blockers === true || blockers.length > 0;

const assertBlockerNames = (
  typeName: string,
  expected: true | readonly string[],
  actual: readonly string[],
): void => {
  if (expected === true) return;
  const isSame =
    expected.length === actual.length && expected.every((name, index) => name === actual[index]);
  if (!isSame) throw new BlockersMismatchError(typeName, listed(expected), listed(actual));
};

const listed = (names: readonly string[]): string =>
  names.length === 0 ? "no blockers" : `[${names.map((name) => `"${name}"`).join(", ")}]`;

/** The payload as its schema leaves it. A promise only if the schema is asynchronous. */
export const parse = (
  schema: StandardSchemaV1 | undefined,
  typeName: string,
  part: "input" | "output",
  payload: unknown,
): unknown => {
  if (!schema) return payload;
  const valueOf = (result: StandardSchemaResult<unknown>): unknown => {
    if (result.issues) throw new InvalidPayloadError(typeName, part, result.issues);
    return result.value;
  };
  const result = schema["~standard"].validate(payload);
  return result instanceof Promise ? result.then(valueOf) : valueOf(result);
};

/** Validates a payload, then serialises it. A promise only if the schema of its type is asynchronous. */
export const toPayloadText = (
  engine: PayloadRules & { readonly registry: Registry },
  owner: PayloadOwner,
  payload: unknown,
): JsonText | Promise<JsonText> => {
  const { registry } = engine;
  const { typeName, part } = owner;
  const parsed =
    part === "input"
      ? registry.parseInput(typeName, payload)
      : registry.parseOutput(typeName, payload);
  const toText = (value: unknown): JsonText => toJsonText(value, owner, engine);
  return parsed instanceof Promise ? (parsed as Promise<unknown>).then(toText) : toText(parsed);
};
