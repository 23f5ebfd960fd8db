// The promises that hold for any job types, judged from the store and from the attempts that began. No code of the engine is used.
import type { AnyStateAdapter, BlockerEdge, StateJob } from "queuert";
import { groupBy } from "../checker/group-by.ts";
import type { SeenAttempt } from "./attempts.ts";
import type { TortureViolation } from "./torture-options.ts";

/** The records of a run. */
export interface Seen {
  readonly jobs: readonly StateJob[];
  readonly edges: readonly BlockerEdge[];
  readonly attempts: readonly SeenAttempt[];
  /** The sequences whose start was answered. */
  readonly startedIds: readonly string[];
  /** How many permits each limit has in use. */
  readonly running: ReadonlyMap<string, number>;
}

type Check = (seen: Seen) => readonly TortureViolation[];

const hasEnded = ({ status }: StateJob): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

const checkStarts: Check = ({ jobs, startedIds }) => {
  const known = new Set(jobs.map(({ sequenceId }) => sequenceId));
  const open = jobs.filter((job) => !hasEnded(job));
  return [
    ...startedIds
      .filter((id) => !known.has(id))
      .map((id) => ({ rule: "a committed start exists", detail: id })),
    ...open.map(({ id, typeName, status, lastAttemptError }) => {
      const detail = `${typeName} ${id} is ${status}: ${lastAttemptError ?? "no error"}`;
      return { rule: "a committed start reaches an outcome", detail };
    }),
  ];
};

const checkChains: Check = ({ jobs }) =>
  [...groupBy(jobs, ({ sequenceId }) => sequenceId)].flatMap(([sequenceId, sequence]) => {
    const chain = sequence.toSorted((one, other) => one.position - other.position);
    const broken = chain.find((job, index) => {
      const next = chain[index + 1];
      const isEnd = next === undefined || job.status === "completed";
      return job.position !== index || job.continuedToId !== (next?.id ?? null) || !isEnd;
    });
    if (broken === undefined) return [];
    const detail = `${sequenceId}, position ${broken.position}`;
    return [{ rule: "a sequence is one chain", detail }];
  });

const checkTokens: Check = ({ jobs, attempts }) => {
  const stored = new Map(jobs.map((job) => [job.id, job.leaseVersion]));
  const tokens = groupBy(attempts, ({ jobId, leaseVersion }) => `${jobId} under ${leaseVersion}`);
  return [
    ...[...tokens].flatMap(([token, own]) =>
      own.length === 1
        ? []
        : [{ rule: "each attempt has a token of its own", detail: `${token}: ${own.length}` }],
    ),
    ...attempts
      .filter(({ jobId, leaseVersion }) => leaseVersion > (stored.get(jobId) ?? leaseVersion))
      .map(({ jobId, leaseVersion }) => ({
        rule: "no attempt is newer than the stored token",
        detail: `${jobId} under ${leaseVersion}`,
      })),
  ];
};

/** A worker had begun each job that it completed, under the stored token. */
const checkCompleters: Check = ({ jobs, attempts }) => {
  const workers = new Map(
    attempts.map(({ jobId, leaseVersion, worker }) => [`${jobId}/${leaseVersion}`, worker]),
  );
  return jobs.flatMap(({ id, status, completedBy, leaseVersion }) => {
    if (status !== "completed" || completedBy === null) return [];
    if (workers.get(`${id}/${leaseVersion}`) === completedBy) return [];
    const detail = `${id}, completed by ${completedBy} under ${leaseVersion}`;
    return [{ rule: "the completer of a job had begun it", detail }];
  });
};

const checkBlockers: Check = ({ jobs, edges }) => {
  const ended = new Map<string, StateJob>();
  for (const job of jobs) {
    if (job.status === "completed" && job.continuedToId === null) ended.set(job.sequenceId, job);
  }
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const waiting = groupBy(edges, ({ jobId }) => jobId);
  return [...waiting].flatMap(([jobId, own]) => {
    if (byId.get(jobId)?.status !== "blocked") return [];
    if (!own.every(({ blockerSequenceId }) => ended.has(blockerSequenceId))) return [];
    return [{ rule: "no job waits for completed sequences", detail: jobId }];
  });
};

const checkPermits: Check = ({ running }) =>
  [...running].flatMap(([name, count]) =>
    count === 0 ? [] : [{ rule: "a permit ends with its attempt", detail: `${name}: ${count}` }],
  );

/** Every broken promise. */
export const checkStore = (seen: Seen): readonly TortureViolation[] =>
  [checkStarts, checkChains, checkTokens, checkCompleters, checkBlockers, checkPermits].flatMap(
    (rule) => rule(seen),
  );

const pageSize = 500;

/** The jobs that were created after `since`, with the edges between them. */
export const readJobs = async (
  state: AnyStateAdapter,
  since: number | null,
): Promise<{ readonly jobs: readonly StateJob[]; readonly edges: readonly BlockerEdge[] }> => {
  const jobs: StateJob[] = [];
  const edges: BlockerEdge[] = [];
  for (;;) {
    const page = await state.listJobs({
      ...{ typeNames: null, statuses: null, sequenceId: null, rootSequenceId: null },
      ...{ createdFrom: null, createdTo: null, order: "asc", limit: pageSize },
      afterOrdinal: jobs.at(-1)?.ordinal ?? since,
    });
    jobs.push(...page);
    const ids = [...new Set(page.map(({ sequenceId }) => sequenceId))];
    if (ids.length > 0) edges.push(...(await state.listBlockerEdges({ ids })));
    if (page.length < pageSize) return { jobs, edges };
  }
};
