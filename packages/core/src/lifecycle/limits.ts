// Limits of job types: declared in code and written when the client is created, or set at run time. Acquisitions obey them in
// the store.
import { createHash } from "node:crypto";
import { unbounded } from "../adapter-kit/limit-rules.ts";
import type { SetLimitsParams, StateLimitState } from "../adapters/state-adapter-limits.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, UnknownLimitError } from "../errors.ts";
import { assertElementCount, assertName, assertObject } from "../model/assert-option.ts";
import type { Limit, LimitsOptions } from "../public-types/limits.ts";
import { checkLimit } from "./check-limit.ts";
import { notifyWaiting } from "./notify-waiting.ts";
import { requireLimitKeys } from "./require-limit-keys.ts";

export const setLimits = async (engine: Engine, given: unknown): Promise<void> => {
  assertArray(given, "limits");
  const limits = given.map((one: unknown) => {
    assertObject(one, "limits");
    const limit = checkLimit(engine, (one as { readonly name?: unknown }).name, one);
    return { ...limit, declaration: null };
  });
  engine.nesting.assertOutside("setLimits");
  await write(engine, limits);
};

/** Returns the names that existed. Jobs that their limits have kept back may start: idle workers are notified. */
export const deleteLimits = async (engine: Engine, given: unknown): Promise<readonly string[]> => {
  assertArray(given, "names");
  for (const name of given) assertName(name, "names");
  engine.nesting.assertOutside("deleteLimits");
  const names = given as readonly string[]; // Each is checked.
  if (names.length === 0) return [];
  const existed = await engine.state.deleteLimits({ names });
  const deleted = names.filter((_, index) => existed[index]);
  if (deleted.length > 0) await notifyWaiting(engine, engine.jobTypeLimits.typesUnder(deleted));
  return deleted;
};

export const getLimits = async ({ state }: Engine, given: unknown): Promise<readonly Limit[]> => {
  if (given !== undefined) {
    assertArray(given, "names");
    for (const name of given) assertName(name, "names");
  }
  const stored = await state.getLimits({ names: (given as readonly string[] | undefined) ?? null });
  return stored.map(toLimit);
};

const toLimit = ({ declaration, perKey, agingMs, ...limit }: StateLimitState): Limit => ({
  ...limit,
  perKey: perKey ?? unbounded,
  agingMs: agingMs ?? null,
  isDeclared: declaration !== null,
  revision: declaration?.revision ?? null,
});

/** Writes the declared limits that have changed. */
export const declareLimits = async (
  engine: Engine,
  { declared = {}, revision = 0 }: LimitsOptions<unknown>,
): Promise<void> => {
  await assertJobTypeLimits(engine, declared);
  const limits = Object.entries<unknown>(declared).flatMap(([name, bounds]) => {
    if (bounds === undefined) return [];
    const limit = checkLimit(engine, name, bounds);
    const hash = createHash("sha256").update(JSON.stringify(limit)).digest("hex");
    return [{ ...limit, declaration: { hash, revision } }];
  });
  await write(engine, limits);
};

/** That each job type is known, and that each limit they share is declared or stored. */
const assertJobTypeLimits = async (engine: Engine, declared: object): Promise<void> => {
  const { jobTypeLimits, registry, state } = engine;
  if (jobTypeLimits.typeNames.length === 0) return;
  requireLimitKeys(engine);
  for (const typeName of jobTypeLimits.typeNames) registry.assertKnown(typeName);
  const isTypeName = (name: string): boolean => registry.typeNames?.has(name) ?? false;
  const names = [...jobTypeLimits.limitNames].filter(
    (name) => !Object.hasOwn(declared, name) && !isTypeName(name) && !jobTypeLimits.has(name),
  );
  if (names.length === 0) return;
  const stored = new Set((await state.getLimits({ names })).map(({ name }) => name));
  const missing = names.find((name) => !stored.has(name));
  if (missing !== undefined) throw new UnknownLimitError(missing);
};

/** A raised limit lets jobs start that have been due: idle workers are notified. */
const write = async (engine: Engine, limits: SetLimitsParams["limits"]): Promise<void> => {
  if (limits.length === 0) return;
  const written = await engine.state.setLimits({ limits });
  const names = limits.flatMap(({ name }, index) => (written[index] === true ? [name] : []));
  if (names.length > 0) await notifyWaiting(engine, engine.jobTypeLimits.typesUnder(names));
};

const assertArray: (value: unknown, option: string) => asserts value is readonly unknown[] = (
  value,
  option,
) => {
  if (!Array.isArray(value)) throw new InvalidOptionError(option, value, "give an array");
  assertElementCount(value, option);
};
