// Which limit and which key the jobs of each type stand under, as declared with the client.
import { limits } from "../defaults.ts";
import { InvalidLimitError, InvalidOptionError, LimitKeyError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertFunction, assertInteger, assertName, assertObject } from "../model/assert-option.ts";
import { fromJsonText, type PayloadCodec } from "../model/payload.ts";
import type { JobLimitKey, JsonText } from "../model/state-job.ts";
import type { LimitsOptions } from "../public-types/limits.ts";

/** The limit of one job type, types aside. */
interface JobTypeLimit {
  readonly limit: string;
  readonly key: ((job: { readonly input: unknown }) => unknown) | undefined;
  readonly cost: ((job: { readonly input: unknown }) => unknown) | undefined;
}

/** The key of jobs whose type has no function for it: they share one. */
const sharedKey = "";

export class JobTypeLimits {
  private readonly byType: ReadonlyMap<string, JobTypeLimit>;

  private readonly codec: PayloadCodec | null;

  constructor(given: unknown = {}, codec: PayloadCodec | null = null) {
    this.codec = codec;
    assertObject(given, "limits.jobTypes");
    this.byType = new Map(
      Object.entries<unknown>({ ...given }).flatMap(([typeName, one]) =>
        one === undefined ? [] : [[typeName, checkJobTypeLimit(typeName, one)]],
      ),
    );
  }

  /** The job types that stand under keys. */
  get typeNames(): readonly string[] {
    return [...this.byType.keys()];
  }

  /** The limits that are named for job types. */
  get limitNames(): ReadonlySet<string> {
    return new Set([...this.byType.values()].map(({ limit }) => limit));
  }

  has(typeName: string): boolean {
    return this.byType.has(typeName);
  }

  /** The limit that a job type stands under. */
  limitOf(typeName: string): string {
    return this.byType.get(typeName)?.limit ?? typeName;
  }

  /** The job types under these limits: those of the same name, and those that share them. */
  typesUnder(limitNames: readonly string[]): readonly string[] {
    const sharing = [...this.byType].flatMap(([typeName, { limit }]) =>
      limitNames.includes(limit) ? [typeName] : [],
    );
    return [...new Set([...limitNames, ...sharing])];
  }

  /** The key of a job with this input; null if its type stands under none. Calls the user's functions. */
  keyOf(typeName: string, input: JsonText): JobLimitKey | null {
    const found = this.byType.get(typeName);
    if (found === undefined) return null;
    const job = { input: fromJsonText(input, typeName, this.codec) };
    return {
      limitName: found.limit,
      key: found.key === undefined ? sharedKey : checkKey(typeName, call(typeName, found.key, job)),
      cost: found.cost === undefined ? 1 : checkCost(typeName, call(typeName, found.cost, job)),
    };
  }
}

const checkJobTypeLimit = (typeName: string, given: unknown): JobTypeLimit => {
  const option = `limits.jobTypes.${typeName}`;
  assertObject(given, option);
  assertKnownOptions(given, ["limit", "key", "cost"], `${option}.`);
  const { limit = typeName, key, cost } = given as Readonly<Record<string, unknown>>;
  assertName(limit, `${option}.limit`);
  if (key !== undefined) assertFunction(key, `${option}.key`);
  if (cost !== undefined) assertFunction(cost, `${option}.cost`);
  if (limit === typeName && key === undefined && cost === undefined) {
    throw new InvalidOptionError(option, given, "give a `key`, a `cost` or another `limit`");
  }
  // Functions are checked above.
  return { limit, key: key as JobTypeLimit["key"], cost: cost as JobTypeLimit["cost"] };
};

const call = (
  typeName: string,
  derive: (job: { readonly input: unknown }) => unknown,
  job: { readonly input: unknown },
): unknown => {
  try {
    return derive(job);
  } catch (cause) {
    throw new LimitKeyError(typeName, "its function threw", { cause });
  }
};

const checkKey = (typeName: string, key: unknown): string => {
  if (typeof key !== "string" || key === "") {
    throw new LimitKeyError(
      typeName,
      `its function returned ${typeof key}, not a text with content`,
    );
  }
  if (key.length > limits.limitKeyLengthMax || key.includes("\0")) {
    const remedy = `at most ${limits.limitKeyLengthMax} characters, without a NUL`;
    throw new LimitKeyError(typeName, `it has ${key.length} characters: give ${remedy}`);
  }
  return key;
};

const checkCost = (typeName: string, cost: unknown): number => {
  if (typeof cost === "number" && Number.isInteger(cost) && cost >= 1) {
    if (cost <= limits.limitCountMax) return cost;
  }
  const remedy = `return a whole number from 1 to ${limits.limitCountMax}`;
  throw new InvalidLimitError(`limits.jobTypes.${typeName}.cost`, cost, remedy);
};

/** The option `limits` of `createQueuert`, apart from the limits themselves. */
export const assertLimitsOptions = (options: LimitsOptions<unknown>): void => {
  assertObject(options, "limits");
  assertKnownOptions(options, ["declared", "jobTypes", "revision"], "limits.");
  const { declared = {}, revision = 0 } = options;
  assertObject(declared, "limits.declared");
  assertInteger(revision, "limits.revision", { min: 0, max: Number.MAX_SAFE_INTEGER });
};
