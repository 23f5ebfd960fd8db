// A Durable Object with jobs, as a program that workerd runs. Each path of a request is one check, and answers in JSON.
import { createQueuert, type DefineContinuationOutput, defineUnionJobTypes } from "queuert";
import { createSqliteStateAdapter } from "../../src/index.ts";
import {
  createDurableObjectStateProvider,
  type DurableObjectStorageLike,
} from "../../src/providers/durable-object.ts";

interface Storage extends DurableObjectStorageLike {
  setAlarm(at: number): Promise<void>;
}

const jobTypeDefinitions = defineUnionJobTypes<{
  greet: { entry: true; input: { name: string }; output: DefineContinuationOutput<"greeted"> };
  greeted: { input: { name: string }; output: { greeting: string } };
}>();

const open = async (storage: Storage) => {
  storage.sql.exec("CREATE TABLE IF NOT EXISTS greeting (name TEXT NOT NULL)");
  const stateProvider = createDurableObjectStateProvider(storage);
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  const log = (): void => undefined;
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log });
  const worker = queuert
    .createWorker()
    .implementJobType({
      typeName: "greet",
      retryConfig: { initialDelayMs: 1, maxDelayMs: 1 },
      process: async ({ job, complete }) =>
        complete(async ({ sql, continueWith }) => {
          sql.exec("INSERT INTO greeting VALUES (?)", job.input.name);
          const next = await continueWith({ typeName: "greeted", input: job.input });
          if (job.attempt === 1) throw new Error("rolled back on purpose");
          return next;
        }),
    })
    .implementJobType({
      typeName: "greeted",
      process: async ({ job, complete }) => complete({ greeting: `Hello ${job.input.name}` }),
    });
  return { queuert, worker };
};

type Opened = Awaited<ReturnType<typeof open>>;

const job = { typeName: "greet", input: { name: "Ada" } } as const;

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code ?? error;

/** The committed rows and jobs. */
const counts = ({ sql }: Storage): unknown => [
  ...sql.exec("SELECT (SELECT count(*) FROM greeting), (SELECT count(*) FROM queuert_job)").raw(),
];

type Check = (opened: Opened, storage: Storage) => Promise<unknown>;

const checks: Readonly<Record<string, Check>> = {
  rollback: async ({ queuert }, storage) => {
    const failing = queuert.transaction(async ({ sql }) => {
      sql.exec("INSERT INTO greeting VALUES ('Bob')");
      await queuert.startJobSequence({ sql, ...job });
      throw new Error("rolled back on purpose");
    });
    return [await failing.catch((error: Error) => error.message), counts(storage)];
  },
  kept: async ({ queuert }, storage) => {
    const kept = await queuert.transaction(async ({ sql }) => ({ sql }));
    const late = await queuert.startJobSequence({ ...kept, ...job }).catch(codeOf);
    const within = await queuert.transaction(async () =>
      queuert.startJobSequence({ ...kept, ...job }).catch(codeOf),
    );
    return [late, within, counts(storage)];
  },
  // Longer than a turn, after which the adapter lets timers run.
  long: async ({ queuert }, storage) => {
    await queuert.transaction(async (context) => {
      for (let round = 0; round < 3; round += 1) {
        await queuert.startJobSequence({ ...context, ...job });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    return counts(storage);
  },
  once: async ({ queuert, worker }, storage) => {
    const { id } = await queuert.transaction((context) =>
      queuert.startJobSequence({ ...context, ...job }),
    );
    const { completed } = await worker.processOnce({ budgetMs: 10_000 });
    const sequence = await queuert.getJobSequence({ id, typeName: "greet" });
    return [completed, sequence, counts(storage)];
  },
  worker: async ({ queuert, worker }, storage) => {
    const { id } = await queuert.startJobSequence({ autocommit: true, ...job });
    const running = await worker.start({ pollIntervalMs: 20 });
    const waited = { typeName: "greet", id, timeoutMs: 10_000 } as const;
    const { output } = await queuert.waitForJobSequenceCompletion(waited);
    await running.stop();
    return [output, counts(storage)];
  },
  alarm: async ({ queuert }, storage) => {
    await queuert.startJobSequence({ autocommit: true, ...job });
    await storage.setAlarm(Date.now());
    return "set";
  },
  look: async (_, storage) => counts(storage),
};

export class Jobs {
  readonly #storage: Storage;
  readonly #opened: Promise<Opened>;

  constructor({ storage }: { readonly storage: Storage }) {
    this.#storage = storage;
    this.#opened = open(storage);
  }

  async fetch(request: { readonly url: string }): Promise<object> {
    const name = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const check = checks[name];
    if (check === undefined) throw new Error(`There is no check ${name}`);
    return Response.json(await check(await this.#opened, this.#storage));
  }

  async alarm(): Promise<void> {
    const { worker } = await this.#opened;
    const { nextDueInMs } = await worker.processOnce({ budgetMs: 10_000 });
    if (nextDueInMs !== null) await this.#storage.setAlarm(Date.now() + nextDueInMs);
  }
}

interface Environment {
  readonly JOBS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: { readonly url: string }): Promise<object> };
  };
}

export default {
  // `/<object>/<check>`
  fetch: (request: { readonly url: string }, { JOBS }: Environment): Promise<object> => {
    const [, name = ""] = new URL(request.url).pathname.split("/");
    return JOBS.get(JOBS.idFromName(name)).fetch(request);
  },
};
