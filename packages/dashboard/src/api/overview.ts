import type { OverviewAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import type { Call } from "./route.ts";

export const overview = async ({ operator }: Call): Promise<OverviewAnswer> =>
  asJson(await operator.getOverview());
