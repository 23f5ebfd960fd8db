import type { ExplainAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const explain = async ({ operator, query }: Call): Promise<ExplainAnswer> =>
  asJson(await operator.explain({ id: requiredText("id", query.get("id")) }));
