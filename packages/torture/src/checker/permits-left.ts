import type { AnyStateAdapter } from "queuert";
import { errandKeys, tenants } from "../load/errand-types.ts";
import type { PermitsLeft } from "./control-history.ts";

/** The use of every limit, and of every key of the load. */
export const permitsLeftIn = async (
  state: Pick<AnyStateAdapter, "getLimits" | "limitKeys">,
): Promise<readonly PermitsLeft[]> => {
  const limits = await state.getLimits({ names: null });
  const keys = await state.limitKeys?.getLimitKeys({ limitName: tenants, keys: errandKeys });
  return [
    ...limits.map(({ name, running }) => ({ typeName: name, key: null, running })),
    ...(keys ?? []).map(({ key, running }) => ({ typeName: tenants, key, running })),
  ];
};
