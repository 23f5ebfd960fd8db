import { errandRowPrefix, errandTypeNames } from "../load/errand-types.ts";
import type { StateJob } from "queuert";
import { errandOf, type ErrandOutcome, isErrandRow } from "./errand-history.ts";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import { deletedRoots } from "./sequence-end.ts";

const errandsOf = ({ control }: History): readonly StateJob[] =>
  control.jobs.filter(({ typeName }) => errandTypeNames.includes(typeName));

/** Every start that is known to have committed is stored, once. */
export const checkErrandStarts: Check = (history) => {
  const violations: Violation[] = [];
  const jobs = errandsOf(history);
  const known = new Set(jobs.map(({ id }) => id));
  const deleted = deletedRoots(history);
  for (const { ids } of entriesOf(history, "errandsStarted")) {
    const missing = ids.filter((id) => !known.has(id) && !deleted.has(id));
    if (missing.length === 0) continue;
    violations.push({ rule: "a committed errand exists", detail: missing.join(", ") });
  }
  for (const [name, own] of groupBy(jobs, (job) => errandOf(job).name)) {
    if (own.length === 1) continue;
    violations.push({ rule: "an errand is stored once", detail: `${name}: ${own.length}` });
  }
  return violations;
};

/** The outcome that a process function has given each attempt. */
const outcomesOf = (history: History): ReadonlyMap<string, ErrandOutcome> => {
  const ends = new Map(entriesOf(history, "errandsEnded").map((one) => [one.call, one.outcomes]));
  return new Map(
    entriesOf(history, "errandsBegan").flatMap(({ call, attempts }) =>
      attempts.flatMap(({ jobId, leaseVersion }, index) => {
        const outcome = ends.get(call)?.[index];
        return outcome === undefined ? [] : [[`${jobId}/${leaseVersion}`, outcome] as const];
      }),
    ),
  );
};

/** Each job has the outcome that its own last attempt gave it, also in a batch with others. */
export const checkErrandOutcomes: Check = (history) => {
  const outcomes = outcomesOf(history);
  return errandsOf(history).flatMap((job): Violation[] => {
    if (job.status !== "completed" || job.completedBy === null) return [];
    const { name } = errandOf(job);
    const stored = job.continuedToId === null ? "output" : "continued";
    const given = outcomes.get(`${job.id}/${job.leaseVersion}`);
    const isOwn = stored === "continued" || job.output === JSON.stringify({ name });
    if (given === stored && isOwn) return [];
    const detail = `${name}, lease ${job.leaseVersion}: ${stored} ${job.output}, given ${given}`;
    return [{ rule: "each job of a call has its own outcome", detail }];
  });
};

/** A row for each completed errand that writes one, of the attempt that completed it. */
export const checkErrandRows: Check = (history) => {
  const rows = history.rows.filter(isErrandRow);
  const byPath = groupBy(rows, ({ path }) => path);
  const rule = "a row for each errand that writes one";
  const jobs = errandsOf(history);
  const names = new Set(jobs.map((job) => `${errandRowPrefix}${errandOf(job).name}`));
  // Rows of a job that was deleted stay: they are the user's.
  const deleted = deletedRoots(history);
  const orphans = rows.filter(({ path, jobId }) => !names.has(path) && !deleted.has(jobId));
  return [
    ...orphans.map(({ path }) => ({ rule, detail: `${path} has no job` })),
    ...jobs.flatMap((job): Violation[] => {
      const { name, writesRow } = errandOf(job);
      const own = byPath.get(`${errandRowPrefix}${name}`) ?? [];
      const expected = writesRow && job.status === "completed" ? [job.leaseVersion] : [];
      const found = own.map(({ leaseVersion }) => leaseVersion);
      if (found.join() === expected.join()) return [];
      const detail = `${name} (${job.status}, lease ${job.leaseVersion}): rows of ${found.join()}`;
      return [{ rule, detail }];
    }),
  ];
};
