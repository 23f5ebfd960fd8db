import type { TreeAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalCount, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const tree = async ({ operator, payloads, query }: Call): Promise<TreeAnswer> =>
  asJson(
    await operator.getTree({
      sequenceId: requiredText("sequence", query.get("sequence")),
      limit: optionalCount("limit", query.get("limit")),
      payloads,
    }),
  );
