import type { WorkersAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import type { Call } from "./route.ts";

export const workers = async ({ operator }: Call): Promise<WorkersAnswer> => ({
  items: asJson(await operator.listWorkers()),
});
