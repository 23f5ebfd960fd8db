import { jobStatuses } from "queuert";
import { filterTerms } from "queuert/operator";
import type { SessionAnswer } from "../api-types.ts";
import { allRights } from "../grant.ts";
import type { Call } from "./route.ts";
import { payloadPieceMax } from "./payload.ts";

export const session = async ({ options, operator, grant }: Call): Promise<SessionAnswer> => {
  const clock = await operator.readClock();
  return {
    at: clock.toISOString(),
    user: grant.user,
    can: allRights.filter((right) => grant.rights.has(right)),
    features: operator.features,
    store: { name: options.storeName ?? null },
    environment: options.environment ?? null,
    limits: { listMax: 1_000, planIdsMax: 1_000, payloadPieceMax },
    statuses: jobStatuses,
    terms: filterTerms.map(({ name, help, example, cost, completion }) => ({
      name,
      help,
      example,
      cost,
      completion,
    })),
  };
};
