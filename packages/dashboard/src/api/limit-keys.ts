// `GET limit-keys`: one page of the keys of a limit.
import type { LimitKeysAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalCount, optionalText, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const limitKeys = async ({ operator, query }: Call): Promise<LimitKeysAnswer> =>
  asJson(
    await operator.listLimitKeys({
      limitName: requiredText("limitName", query.get("limitName")),
      fromKey: optionalText("fromKey", query.get("fromKey")),
      limit: optionalCount("limit", query.get("limit")),
    }),
  );
