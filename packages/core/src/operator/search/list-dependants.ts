// One page of the jobs that wait for a sequence.
import { defaults, limits } from "../../defaults.ts";
import { assertKnownOptions } from "../../model/assert-known-options.ts";
import { assertInteger, assertName, assertObject } from "../../model/assert-option.ts";
import { decodeIdCursor, encodeIdCursor } from "../../model/cursor.ts";
import { keptEvidence, type OperatorCore } from "../operator-core.ts";
import type { DependantsPage, ListDependantsOptions } from "../read-types.ts";
import { toJobView } from "../views/job-view.ts";

export const listDependants = async (
  core: OperatorCore,
  given: ListDependantsOptions,
): Promise<DependantsPage> => {
  assertObject(given, "options");
  assertKnownOptions(given, ["sequenceId", "limit", "cursor", "payloads"]);
  const { sequenceId, limit = defaults.listLimit, cursor } = given;
  assertName(sequenceId, "sequenceId");
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  const afterId = decodeIdCursor("dependants", cursor);
  const viewer = core.viewer(given.payloads);
  return core.slots.run(async () => {
    const ids = await findDependants(core, sequenceId, afterId, limit + 1);
    const page = ids.slice(0, limit);
    const evidence = await keptEvidence(core);
    const jobs = await core.state.getJobs({ ids: page });
    const last = page.at(-1);
    return {
      at: evidence.now,
      // A job may have been deleted meanwhile.
      items: jobs.flatMap((job) => (job === undefined ? [] : [toJobView(job, evidence, viewer)])),
      nextCursor:
        ids.length > limit && last !== undefined ? encodeIdCursor("dependants", last) : null,
    };
  });
};

/** A store without the method answers with all of them at once. */
const findDependants = async (
  { state }: OperatorCore,
  sequenceId: string,
  afterId: string | null,
  limit: number,
): Promise<readonly string[]> => {
  const found = await state.operator?.listDependants?.({ sequenceId, afterId, limit });
  if (found !== undefined) return found;
  const edges = await state.listBlockerEdges({ ids: [sequenceId] });
  const ids = edges.flatMap(({ jobId, blockerSequenceId }) =>
    blockerSequenceId === sequenceId && (afterId === null || jobId > afterId) ? [jobId] : [],
  );
  return [...new Set(ids)].sort().slice(0, limit);
};
