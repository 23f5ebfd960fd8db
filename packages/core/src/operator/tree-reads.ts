// The read of a whole tree of sequences.
import { limits } from "../defaults.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertInteger, assertName, assertObject } from "../model/assert-option.ts";
import { keptEvidence, type OperatorCore } from "./operator-core.ts";
import type { Operator } from "./operator-types.ts";
import { loadTree } from "./views/tree.ts";

/** Jobs of a tree, if no limit is given. */
const treeMax = 500;

export const createTreeReads = (core: OperatorCore): Pick<Operator, "getTree"> => {
  const { state, slots } = core;
  return {
    getTree: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["sequenceId", "limit", "payloads"]);
      const { sequenceId, limit = treeMax, payloads } = given;
      assertName(sequenceId, "sequenceId");
      assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
      const viewer = core.viewer(payloads);
      return slots.run(async () =>
        loadTree(state, sequenceId, limit, await keptEvidence(core), viewer),
      );
    },
  };
};
