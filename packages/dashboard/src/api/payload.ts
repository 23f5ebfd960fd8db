// `GET payload`: a piece of a payload or of an error, as it may be shown.
import { UnknownJobError } from "queuert/operator";
import type { PayloadAnswer } from "../api-types.ts";
import { DashboardError } from "../dashboard-error.ts";
import { optionalCount, requiredChoice, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

/** Characters of one piece: less than 1 MiB in UTF-8. */
export const payloadPieceMax = 250_000;

export const payload = async ({ operator, payloads, query }: Call): Promise<PayloadAnswer> => {
  const id = requiredText("id", query.get("id"));
  const field = requiredChoice("field", query.get("field"), ["input", "output", "error"]);
  const offset = optionalCount("offset", query.get("offset")) ?? 0;
  const found = await operator.getJob({ id, payloads });
  if (found === undefined) throw new UnknownJobError(id);
  const text = found[field]?.text;
  if (text === undefined) {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_NOT_FOUND",
      `The job has no ${field}: its status is ${found.status}.`,
    );
  }
  const end = offset + payloadPieceMax;
  return {
    text: text.slice(offset, end),
    length: text.length,
    nextOffset: end < text.length ? end : null,
  };
};
