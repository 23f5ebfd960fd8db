// Several reads of an index as one command.
import type { Database } from "./database.ts";
import { outside } from "./store.ts";

/** The server refuses a pipeline of more than 1,000 stages. */
const probesPerCommand = 500;

/** The documents of all probes, in one command for each 500 of them. `after`: the stages that follow. */
export const readProbes = async <T>(
  jobs: Database["jobs"],
  probes: readonly object[][],
  after: readonly object[] = [],
): Promise<T[]> => {
  const found: T[] = [];
  for (let from = 0; from < probes.length; from += probesPerCommand) {
    const [first = [], ...others] = probes.slice(from, from + probesPerCommand);
    const unions = others.map((pipeline) => ({ $unionWith: { coll: jobs.name, pipeline } }));
    const pipeline = [...first, ...unions, ...after];
    found.push(...(await jobs.aggregate<T>(outside, pipeline, { candidates: true })));
  }
  return found;
};
