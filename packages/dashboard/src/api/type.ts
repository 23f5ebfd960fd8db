// `GET type`: one job type, from the kept overview and two bounded searches.
import { quoteText } from "queuert/operator";
import type { TypeAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

const recentMax = 20;

export const type = async ({ operator, payloads, query }: Call): Promise<TypeAnswer> => {
  const name = requiredText("name", query.get("name"));
  const filter = `type:${quoteText(name)}`;
  const [overview, workers, { groups }, recent] = await Promise.all([
    operator.getOverview(),
    operator.listWorkers(),
    operator.listFailures({ filter, payloads }),
    operator.listJobs({ filter, limit: recentMax, payloads }),
  ]);
  const { types, pauses, at } = overview;
  return asJson({
    at,
    type: types.find(({ typeName }) => typeName === name) ?? null,
    pauses: pauses.filter(({ typeName }) => typeName === null || typeName === name),
    workers: workers.filter((worker) => worker.types.some(({ typeName }) => typeName === name)),
    failures: groups,
    recent: recent.items,
  });
};
