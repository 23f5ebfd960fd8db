// The history of attempts, as operators ask for it.
import { InvalidOptionError } from "../errors.ts";
import { limits } from "../defaults.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertName, assertObject } from "../model/assert-option.ts";
import { keptForMs, type OperatorCore, readNow } from "./operator-core.ts";
import type { GetMetricsOptions } from "./read-types.ts";
import { type MetricsReport, readMetrics, stepOf } from "./views/metrics.ts";

const hourMs = 60 * 60_000;
/** Hours are kept for so long. */
const spanMsMax = 90 * 24 * hourMs;

export const getMetrics = async (
  core: OperatorCore,
  given: GetMetricsOptions,
): Promise<MetricsReport> => {
  assertObject(given, "options");
  assertKnownOptions(given, ["sinceMs", "untilMs", "typeNames"]);
  const { sinceMs = hourMs, untilMs = 0, typeNames = null } = given;
  assertSpan(sinceMs, untilMs);
  if (typeNames !== null) assertTypeNames(typeNames);
  const key = `metrics ${JSON.stringify([sinceMs, untilMs, typeNames])}`;
  return core.cache.get(key, keptForMs.metrics, () =>
    core.slots.run(async () => {
      const at = await readNow(core);
      const from = new Date(at.getTime() - sinceMs);
      const to = new Date(at.getTime() - untilMs);
      const types = await readMetrics(core.state, from, to, typeNames);
      return { at, from, to, stepMs: stepOf(sinceMs - untilMs), types };
    }),
  );
};

const assertSpan = (sinceMs: number, untilMs: number): void => {
  const remedy = `give a time of more than \`untilMs\` (0 by default) and at most ${spanMsMax} ms ago`;
  const isTime = (ms: unknown): boolean => typeof ms === "number" && ms >= 0 && ms <= spanMsMax;
  if (!isTime(untilMs))
    throw new InvalidOptionError("untilMs", untilMs, "give milliseconds from 0");
  if (!isTime(sinceMs) || sinceMs <= untilMs) {
    throw new InvalidOptionError("sinceMs", sinceMs, remedy);
  }
};

const assertTypeNames = (typeNames: readonly string[]): void => {
  if (!Array.isArray(typeNames) || typeNames.length > limits.listLimitMax) {
    throw new InvalidOptionError("typeNames", typeNames, "give an array of names of job types");
  }
  for (const typeName of typeNames) assertName(typeName, "typeNames");
};
