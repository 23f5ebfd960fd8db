// `GET backfill-preview`: the instants of a schedule in a range of the past, before a plan starts them.
import type { BackfillRange } from "queuert/operator";
import type { BackfillPreviewAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { requiredInstant, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const backfillPreview = async ({ operator, query }: Call): Promise<BackfillPreviewAnswer> =>
  asJson(await operator.previewBackfill(rangeOf((name) => query.get(name))));

/** The range of a query or of a body. */
export const rangeOf = (read: (name: keyof BackfillRange) => unknown): BackfillRange => ({
  name: requiredText("name", read("name")),
  from: requiredInstant("from", read("from")),
  to: requiredInstant("to", read("to")),
});
