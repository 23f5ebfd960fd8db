// The unfinished jobs of a store against the job types of this build: before a deployment, or in CI against a copy. Nothing is
// written. Inputs are read in pages, and only of types with a schema.
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, InvalidPayloadError } from "../errors.ts";
import type { StandardSchemaIssue } from "../job-types/standard-schema.ts";
import { assertInteger } from "../model/assert-option.ts";
import { nearNames } from "../model/assert-known-options.ts";
import { fromJsonText } from "../model/payload.ts";
import type { StateJob } from "../model/state-job.ts";
import type { CheckedType, CheckOptions, CheckReport } from "../public-types/check.ts";

const checkDefaults = { examineMax: 10_000, issuesMax: 3, jobIdsMax: 5 } as const;
const statuses = ["blocked", "pending", "running"] as const;

/** The report on every type with unfinished jobs. */
export const checkJobs = async (engine: Engine, options: CheckOptions): Promise<CheckReport> => {
  const { examineMax = checkDefaults.examineMax, signal } = options;
  assertInteger(examineMax, "examineMax", { min: 1, max: Number.MAX_SAFE_INTEGER });
  const known = knownNames(engine);
  const types: CheckedType[] = [];
  for (const [typeName, counts] of await countUnfinished(engine)) {
    signal?.throwIfAborted();
    types.push(await checkType(engine, { typeName, counts, known, examineMax, signal }));
  }
  types.sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
  return { isWell: types.every(({ isUnknown, refused }) => !isUnknown && refused === 0), types };
};

/** Of the catalogue, or of the workers of this client. */
const knownNames = ({ registry, implementedTypes }: Engine): ReadonlySet<string> => {
  const names = registry.typeNames ?? implementedTypes.names;
  if (names.size > 0) return names;
  const remedy =
    "give `defineUnionJobTypes` a catalogue, or start the workers first: no job type of this build is known";
  throw new InvalidOptionError("jobTypeDefinitions", undefined, remedy);
};

type Counts = { -readonly [TStatus in keyof CheckedType["statuses"]]: number };

const countUnfinished = async ({ state }: Engine): Promise<ReadonlyMap<string, Counts>> => {
  const { counts } = await state.summarize({ runningLongMs: 0 });
  const byType = new Map<string, Counts>();
  for (const { typeName, status, count } of counts) {
    if (status === "failed" || count === 0) continue;
    const sums = byType.get(typeName) ?? { blocked: 0, pending: 0, running: 0 };
    sums[status] += count;
    byType.set(typeName, sums);
  }
  return byType;
};

interface TypeToCheck {
  readonly typeName: string;
  readonly counts: Counts;
  readonly known: ReadonlySet<string>;
  readonly examineMax: number;
  readonly signal: AbortSignal | undefined;
}

const checkType = async (engine: Engine, type: TypeToCheck): Promise<CheckedType> => {
  const { typeName, counts, known } = type;
  const isUnknown = !known.has(typeName);
  const jobCount = counts.blocked + counts.pending + counts.running;
  const isRead = !isUnknown && engine.registry.hasInputSchema(typeName);
  const read = isRead ? type.examineMax : 0;
  const limit = isRead ? limits.listLimitMax : checkDefaults.jobIdsMax;
  const first = await listUnfinished(engine, typeName, null, limit);
  const refusals = new Refusals(engine);
  let examined = 0;
  let page: readonly StateJob[] = first;
  while (examined < read && page.length > 0) {
    const jobs = page.slice(0, read - examined);
    for (const job of jobs) await refusals.examine(job);
    examined += jobs.length;
    type.signal?.throwIfAborted();
    const last = page.length < limit ? undefined : page.at(-1);
    page = last === undefined ? [] : await listUnfinished(engine, typeName, last.ordinal, limit);
  }
  return {
    typeName,
    jobCount,
    statuses: counts,
    // The last one may have finished since it was counted.
    oldestAt: first[0]?.createdAt ?? new Date(engine.clock.now()),
    isUnknown,
    nearTypeNames: isUnknown ? nearNames(typeName, known) : [],
    examined,
    refused: refusals.count,
    issues: [...refusals.issues],
    jobIds: isUnknown ? first.map(({ id }) => id) : refusals.jobIds,
  };
};

const listUnfinished = (
  { state }: Engine,
  typeName: string,
  afterOrdinal: number | null,
  limit: number,
): Promise<readonly StateJob[]> =>
  state.listJobs({
    typeNames: [typeName],
    statuses,
    sequenceId: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    order: "asc",
    limit,
    afterOrdinal,
  });

/** The inputs of one type that its schema refuses. An input that an upcast accepts was converted when it was read. */
class Refusals {
  count = 0;
  readonly issues = new Set<string>();
  readonly jobIds: string[] = [];
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async examine({ id, typeName, input }: StateJob): Promise<void> {
    try {
      await this.#engine.registry.parseInput(typeName, fromJsonText(input, id, this.#engine.codec));
    } catch (error) {
      this.count++;
      if (this.jobIds.length < checkDefaults.jobIdsMax) this.jobIds.push(id);
      for (const issue of issuesOf(error)) {
        if (this.issues.size < checkDefaults.issuesMax) this.issues.add(issue);
      }
    }
  }
}

const issuesOf = (error: unknown): readonly string[] =>
  error instanceof InvalidPayloadError
    ? (error.issues as readonly StandardSchemaIssue[]).map(toLine)
    : [`input: ${error instanceof Error ? error.message : String(error)}`];

const toLine = ({ path = [], message }: StandardSchemaIssue): string => {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return `${["input", ...keys].join(".")}: ${message}`;
};
