// The keys of a limit, in pages: their names from the store, and then the use of each.
import { defaults, limits } from "../defaults.ts";
import { LimitsUnsupportedError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertInteger, assertName, assertObject } from "../model/assert-option.ts";
import type { LimitMethods } from "../public-types/limits.ts";
import { type OperatorCore, readNow } from "./operator-core.ts";
import type { Operator } from "./operator-types.ts";
import type { ListLimitKeysOptions } from "./read-types.ts";
import { toListedLimitKey } from "./views/listed-limit-key.ts";

/** Counts of a key with many jobs cost a walk over them. */
const keptForMs = 2_000;

export const createLimitKeyReads = (
  core: OperatorCore,
  queuert: object,
): Pick<Operator, "listLimitKeys"> => {
  // The client has the types of its user; limits are read by name.
  const client = queuert as unknown as Pick<LimitMethods<object>, "getLimitKeys">;
  return {
    listLimitKeys: async (given) => {
      const { limitName, fromKey, limit } = readOptions(given);
      const { operator } = core.state;
      const listNames = operator?.listLimitKeys?.bind(operator);
      if (listNames === undefined) throw new LimitsUnsupportedError();
      const kept = `limit keys ${JSON.stringify([limitName, fromKey, limit])}`;
      return core.cache.get(kept, keptForMs, () =>
        core.slots.run(async () => {
          const names = await listNames({ limitName, fromKey, limit: limit + 1 });
          const keys = names.slice(0, limit);
          const found = await client.getLimitKeys({ limit: limitName, keys });
          // In the order of the names, which pages go on in.
          const items = keys.flatMap((name) => found.find(({ key }) => key === name) ?? []);
          return {
            at: await readNow(core),
            items: items.map(toListedLimitKey),
            nextKey: names[limit] ?? null,
          };
        }),
      );
    },
  };
};

const readOptions = (
  given: ListLimitKeysOptions,
): { readonly limitName: string; readonly fromKey: string | null; readonly limit: number } => {
  assertObject(given, "options");
  assertKnownOptions(given, ["limitName", "fromKey", "limit"]);
  const { limitName, fromKey = null, limit = defaults.listLimit } = given;
  assertName(limitName, "limitName");
  if (fromKey !== null) assertName(fromKey, "fromKey", limits.limitKeyLengthMax);
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  return { limitName, fromKey, limit };
};
