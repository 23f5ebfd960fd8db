// One page of sequences, as operators see them.
import { defaults, limits } from "../../defaults.ts";
import { InvalidOptionError } from "../../errors.ts";
import { assertKnownOptions } from "../../model/assert-known-options.ts";
import { assertInteger, assertObject } from "../../model/assert-option.ts";
import { decodeCursor, encodeCursor } from "../../model/cursor.ts";
import { parseFilter } from "../filter/parse-filter.ts";
import { keptEvidence, type OperatorCore, type PageOfSearch, readNow } from "../operator-core.ts";
import type { SearchSequencesOptions, SequencesPage } from "../read-types.ts";
import { toJobView } from "../views/job-view.ts";
import { toSequenceView } from "../views/sequence-view.ts";
import { searchSequences } from "./search-sequences.ts";

export const listSequences = async (
  core: OperatorCore,
  given: SearchSequencesOptions,
): Promise<SequencesPage> => {
  const page = readPage(given);
  const viewer = core.viewer(given.payloads);
  return core.slots.run(async () => {
    const now = await readNow(core);
    const filter = parseFilter(given.filter ?? "", now);
    const found = await searchSequences(core.state, filter, page, viewer, now);
    const { sequences, examined, examinedTo } = found;
    const evidence = { ...(await keptEvidence(core)), now };
    const nextCursor =
      examinedTo === null ? null : encodeCursor("examinedSequences", page.order, examinedTo);
    return {
      at: now,
      items: sequences.map((one) => ({
        ...toSequenceView(one),
        current: toJobView(one.current, evidence, viewer),
      })),
      nextCursor,
      examined,
      filter,
    };
  });
};

const optionNames = ["filter", "order", "limit", "cursor", "payloads", "rootsOnly"];

const readPage = (
  given: SearchSequencesOptions,
): PageOfSearch & { readonly rootsOnly: boolean } => {
  assertObject(given, "options");
  assertKnownOptions(given, optionNames);
  const { order = "desc", limit = defaults.listLimit, cursor, rootsOnly = false } = given;
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  if (order !== "asc" && order !== "desc") {
    throw new InvalidOptionError("order", order, 'give "asc" or "desc"');
  }
  if (typeof rootsOnly !== "boolean") {
    throw new InvalidOptionError("rootsOnly", rootsOnly, "give true or false");
  }
  const afterOrdinal = decodeCursor("examinedSequences", order, cursor);
  return { order, limit, afterOrdinal, rootsOnly };
};
