// Jobs of another library that wait become jobs of Queuert. Without `--yes` it is a dry run: each job is started in a transaction
// that is rolled back. The catalogue, the schemas and the store therefore decide.
import type { AddCommand, CommandContext, Report } from "../command.ts";
import type { ImportConfig } from "../config/define-config.ts";
import type { Client } from "../connect/client.ts";
import { CliUsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { openAgenda } from "../import/agenda-source.ts";
import { openBullmq } from "../import/bullmq-source.ts";
import { openGraphileWorker, openPgBoss } from "../import/postgres-source.ts";
import type { ImportedJob, ImportSource, OpenSource } from "../import/source.ts";
import { formatCount } from "../output/durations.ts";
import { safeLine } from "../output/safe-text.ts";

const sources: Readonly<Record<string, OpenSource>> = {
  "pg-boss": openPgBoss,
  "graphile-worker": openGraphileWorker,
  agenda: openAgenda,
  bullmq: openBullmq,
};

interface ImportOptions {
  readonly from?: string;
  readonly place?: string;
  readonly queue: readonly string[];
  readonly yes?: boolean;
}

export const addImport: AddCommand = (program, run) => {
  program
    .command("import")
    .description(
      "move waiting jobs of pg-boss, graphile-worker, agenda or bullmq; a dry run without --yes",
    )
    .argument("<library>", Object.keys(sources).join(", "))
    .option("--from <address>", "bullmq: the address of its Redis server")
    .option("--queue <name>", "bullmq: a queue; may be repeated", collect, [])
    .option("--place <name>", "its schema, collection or prefix; default: that of the library")
    .option("--dry-run", "write nothing; the default")
    .option("--yes", "move the jobs")
    .action((library: string, options: ImportOptions) =>
      run((context) => importJobs(context, library, options), { isUnbounded: true }),
    );
};

const collect = (name: string, names: readonly string[]): readonly string[] => [...names, name];

/** The result for one name of the other library. */
interface Tally {
  readonly name: string;
  readonly count: number;
  moved: number;
  /** Left there: the reason, and how many jobs. */
  readonly left: Map<string, number>;
}

const batchSize = 200;

const importJobs = async (
  context: CommandContext,
  library: string,
  { from, place, queue, yes = false }: ImportOptions,
): Promise<Report> => {
  const open = sources[library];
  if (open === undefined) {
    throw new CliUsageError(
      `No import from "${library}". Give ${Object.keys(sources).join(", ")}.`,
    );
  }
  const access = await context.access(yes ? { writes: "import" } : {});
  const client = await access.client();
  const source = await open({ context, access, from, place, queues: queue });
  try {
    const counts = await source.count();
    const tallies = new Map(
      counts.map((one) => [one.name, { ...one, moved: 0, left: new Map<string, number>() }]),
    );
    const config: ImportConfig = access.config.import ?? {};
    const catalogue = access.config.jobTypeDefinitions?.catalogue ?? {};
    const importer = new Importer(
      client,
      library,
      config,
      new Set(Object.keys(catalogue)),
      tallies,
    );
    await moveAll(context.signal, source, [...tallies.keys()], importer, yes);
    return toReport(library, [...tallies.values()], yes);
  } finally {
    await source.close();
    await client.close();
  }
};

const moveAll = async (
  signal: AbortSignal,
  source: ImportSource,
  names: readonly string[],
  importer: Importer,
  yes: boolean,
): Promise<void> => {
  let afterId: string | null = null;
  do {
    signal.throwIfAborted();
    afterId = yes
      ? await source.move({
          ...{ names, afterId, limit: batchSize, isDryRun: false },
          store: (jobs, transaction) => importer.store(jobs, transaction),
        })
      : await dryRun(source, names, afterId, importer);
  } while (afterId !== null);
};

/** Carries the last id of the batch through the rollback. */
class DryRunEnd extends Error {
  readonly lastId: string | null;
  constructor(lastId: string | null) {
    super("a dry run");
    this.lastId = lastId;
  }
}

const dryRun = async (
  source: ImportSource,
  names: readonly string[],
  afterId: string | null,
  importer: Importer,
): Promise<string | null> => {
  try {
    return await source.move({
      ...{ names, afterId, limit: batchSize, isDryRun: true },
      store: async (jobs, transaction) => {
        await importer.tryOut(jobs, transaction);
        throw new DryRunEnd(jobs.at(-1)?.id ?? null);
      },
    });
  } catch (error) {
    if (error instanceof DryRunEnd) return error.lastId;
    throw error;
  }
};

type Starting = NonNullable<ReturnType<Importer["toStart"]>>;

class Importer {
  readonly #client: Client;
  readonly #library: string;
  readonly #config: ImportConfig;
  readonly #known: ReadonlySet<string>;
  readonly #tallies: ReadonlyMap<string, Tally>;

  constructor(
    client: Client,
    library: string,
    config: ImportConfig,
    known: ReadonlySet<string>,
    tallies: ReadonlyMap<string, Tally>,
  ) {
    this.#client = client;
    this.#library = library;
    this.#config = config;
    this.#known = known;
    this.#tallies = tallies;
  }

  /** Returns the ids of the jobs that were stored. The others stay where they are. */
  async store(jobs: readonly ImportedJob[], transaction: object | undefined): Promise<string[]> {
    const stored: string[] = [];
    for (const job of jobs) {
      const options = this.toStart(job, transaction === undefined);
      if (options === null) continue;
      const reason = await this.#start(options, transaction);
      if (reason === null) stored.push(job.id);
      this.#count(job, reason);
    }
    return stored;
  }

  /** The same in a transaction that is rolled back. */
  async tryOut(jobs: readonly ImportedJob[], transaction: object | undefined): Promise<void> {
    if (transaction !== undefined) {
      await this.store(jobs, transaction);
      return;
    }
    const undone = new DryRunEnd(null);
    const running = this.#client.transaction(async (own) => {
      await this.store(jobs, own);
      throw undone;
    });
    await running.catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  }

  toStart(job: ImportedJob, isElsewhere: boolean) {
    const { map = {} } = this.#config;
    const convert = Object.hasOwn(map, job.name) ? map[job.name] : undefined;
    if (convert === undefined && !this.#known.has(job.name)) {
      this.#count(job, "no entry in `import.map` of the config, and no job type of this name");
      return null;
    }
    const start = convert === undefined ? { typeName: job.name, input: job.data } : convert(job);
    if (start === null) {
      this.#count(job, "its entry in `import.map` returns null");
      return null;
    }
    const own = isElsewhere ? `import ${this.#library} ${job.id}` : null;
    const key = job.key ?? own;
    return {
      typeName: start.typeName,
      input: start.input,
      priority: Math.max(-32_767, Math.min(32_767, Math.trunc(job.priority))),
      ...(job.runAt !== null && { schedule: { at: job.runAt } }),
      ...(key !== null && {
        deduplication: {
          key,
          strategy: job.key === null ? ("all" as const) : ("completed" as const),
        },
      }),
    };
  }

  /** Null, or the reason why it was refused before anything was written. */
  async #start(options: Starting, transaction: object | undefined): Promise<string | null> {
    const place = transaction ?? { autocommit: true };
    try {
      await this.#client.startJobSequence({ ...place, ...options } as never);
      return null;
    } catch (error) {
      const { code, issues, message } = error as {
        code?: unknown;
        issues?: unknown;
        message?: unknown;
      };
      if (typeof code !== "string" || !refusals.test(code)) throw error;
      const first = Array.isArray(issues)
        ? (issues[0] as { message?: unknown; path?: unknown })
        : null;
      const path = Array.isArray(first?.path) ? first.path.map(String).join(".") : "";
      return first === null
        ? String(message)
        : `its input is refused: ${path} ${String(first.message)}`;
    }
  }

  #count({ name }: ImportedJob, reason: string | null): void {
    const tally = this.#tallies.get(name);
    if (tally === undefined) return;
    if (reason === null) tally.moved++;
    else tally.left.set(reason, (tally.left.get(reason) ?? 0) + 1);
  }
}

/** Refused before a statement: the transaction is whole. */
const refusals =
  /^QUEUERT_(INVALID_PAYLOAD|UNKNOWN_JOB_TYPE|NOT_AN_ENTRY_JOB_TYPE|NOT_JSON|LIMIT_EXCEEDED|INVALID_OPTION|BLOCKERS_MISMATCH)$/;

const toReport = (library: string, tallies: readonly Tally[], yes: boolean): Report => {
  const types = tallies.map(({ left, ...tally }) => ({ ...tally, left: Object.fromEntries(left) }));
  const isWhole = tallies.every(({ left }) => left.size === 0);
  const verb = yes ? "moved" : "would be moved";
  const lines = tallies.flatMap(({ name, count, moved, left }) => [
    safeLine(`${name}: ${formatCount(moved)} of ${formatCount(count)} ${verb}`),
    ...[...left].map(([reason, leftCount]) =>
      safeLine(`  ${formatCount(leftCount)} left: ${reason}`),
    ),
  ]);
  return {
    json: { library, isDryRun: !yes, types },
    lines: lines.length === 0 ? [`no job of ${library} waits`] : lines,
    notes: yes ? [] : ["nothing was written; move the jobs with --yes"],
    exitCode: isWhole ? exitCodes.done : exitCodes.refused,
  };
};
