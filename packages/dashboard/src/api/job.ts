// `GET job`: one job with its attempts. Its payloads are cut; `GET payload` has the rest.
import { type JobDetail, type PayloadHead, UnknownJobError } from "queuert/operator";
import type { JobAnswer, Link } from "../api-types.ts";
import { asJson } from "./json.ts";
import { requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

const shownMax = 4_000;

export const job = async ({ operator, options, payloads, query }: Call): Promise<JobAnswer> => {
  const id = requiredText("id", query.get("id"));
  const found = await operator.getJob({ id, payloads });
  if (found === undefined) throw new UnknownJobError(id);
  const { input, output, error } = found;
  return {
    job: asJson({
      ...found,
      input: cut(input),
      output: output === null ? null : cut(output),
      error: error === null ? null : cut(error),
    }),
    links: [...(options.links?.(found) ?? []), ...traceLink(found, options)],
  };
};

const traceLink = ({ traceId }: JobDetail, { traceUrl }: Call["options"]): readonly Link[] =>
  traceId === null || traceUrl === undefined ? [] : [{ label: "Trace", href: traceUrl(traceId) }];

const cut = ({ text, length, isCut }: PayloadHead): PayloadHead => ({
  text: text.slice(0, shownMax),
  length,
  isCut: isCut || text.length > shownMax,
});
