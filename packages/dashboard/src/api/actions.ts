import type { ActionsAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalCount } from "./read-input.ts";
import type { Call } from "./route.ts";

export const actions = async ({ operator, query }: Call): Promise<ActionsAnswer> => ({
  items: asJson(await operator.listActions({ limit: optionalCount("limit", query.get("limit")) })),
});
