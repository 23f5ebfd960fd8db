// `GET metrics`: the history of attempts, of all types or of one.
import type { MetricsAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalChoice, optionalText } from "./read-input.ts";
import type { Call } from "./route.ts";

const hourMs = 3_600_000;
const ranges = { "1h": hourMs, "3h": 3 * hourMs, "24h": 24 * hourMs, "30d": 30 * 24 * hourMs };
const names = ["1h", "3h", "24h", "30d"] as const;

export const metrics = async ({ operator, query }: Call): Promise<MetricsAnswer> => {
  const type = optionalText("type", query.get("type"));
  const range = optionalChoice("range", query.get("range"), names) ?? "1h";
  return asJson(
    await operator.getMetrics({
      sinceMs: ranges[range],
      ...(type !== undefined && { typeNames: [type] }),
    }),
  );
};
