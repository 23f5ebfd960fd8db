// The reads of an operator that are about the store as a whole: its overview, its health, and hints of its changes.
import type { CheckHealthParams } from "../adapters/operator-reads.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertObject, assertPositiveMs } from "../model/assert-option.ts";
import { gatherEvidence } from "./explain/evidence.ts";
import { keptForMs, type OperatorCore } from "./operator-core.ts";
import type { Operator } from "./operator-types.ts";
import type { CheckHealthOptions } from "./read-types.ts";
import { toHealth } from "./views/health.ts";
import { readLimitViews } from "./views/limit-view.ts";
import { readMetrics } from "./views/metrics.ts";
import { type Overview, recentMs, toOverview } from "./views/overview.ts";
import { assertWatchOptions, watch } from "./watch.ts";

/** An attempt that runs for longer counts as long. */
const runningLongMs = 60 * 60_000;

export const createStateReads = (
  core: OperatorCore,
): Pick<Operator, "getOverview" | "watch" | "checkHealth"> => {
  const { state, slots, cache, engine } = core;
  const getOverview = (): Promise<Overview> =>
    cache.get("overview", keptForMs.overview, () => slots.run(() => readOverview(core)));
  return {
    getOverview,

    watch: async (given) => {
      assertWatchOptions(given);
      const { types } = await getOverview();
      const typeNames = types.map(({ typeName }) => typeName);
      return watch(engine, given, typeNames);
    },

    checkHealth: async (given = {}) => {
      const params = readHealthOptions(given);
      const overview = await getOverview();
      // Its clock is compared with that of the process, so it is read now.
      const evidence = await slots.run(() => gatherEvidence(state));
      const processNow = core.processNow();
      const server = await slots.run(
        async () => (await state.operator?.checkHealth?.(params)) ?? [],
      );
      return toHealth(overview, evidence, processNow, server);
    },
  };
};

const longTransactionMsDefault = 5 * 60_000;

const readHealthOptions = (given: CheckHealthOptions): CheckHealthParams => {
  assertObject(given, "options");
  assertKnownOptions(given, ["longTransactionMs", "isThorough"]);
  const { longTransactionMs = longTransactionMsDefault, isThorough = false } = given;
  assertPositiveMs(longTransactionMs, "longTransactionMs");
  if (typeof isThorough !== "boolean") {
    throw new InvalidOptionError("isThorough", isThorough, "give true or false");
  }
  return { longTransactionMs, isThorough };
};

const readOverview = async ({ state, cache }: OperatorCore): Promise<Overview> => {
  const summary = await state.summarize({ runningLongMs });
  const evidence = await gatherEvidence(state);
  const from = new Date(evidence.now.getTime() - recentMs);
  const metrics = await readMetrics(state, from, evidence.now, null);
  // Keys are counted one by one, so they are kept for longer.
  const limits = await cache.get("limits", keptForMs.limits, () =>
    readLimitViews(state, evidence.limits),
  );
  return toOverview(summary, evidence, metrics, limits);
};
