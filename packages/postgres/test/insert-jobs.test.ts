// Jobs without keys are stored by the statement that fits their number and options. Every option is stored. The returned jobs, which
// are not read back, equal the stored ones.
import pg from "pg";
import type { NewStateJob } from "queuert/internal";
import { aContinuation, aJob } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStateAdapter, type PgStatement } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { servers } from "./fixtures.ts";

const at = new Date(Date.UTC(2199, 0, 31, 12, 30, 15, 250));

describe.each(servers)("%s", (_, databases) => {
  let pool: pg.Pool;
  let adapter: PgStateAdapter<object>;
  let given: Readonly<Record<string, NewStateJob>>;
  const sent: PgStatement[] = [];

  beforeAll(async () => {
    const { url } = await databases().createDatabase();
    pool = new pg.Pool({ connectionString: url });
    const provider = createPgPoolStateProvider(pool, { preparedStatements: true });
    adapter = await createPgStateAdapter<object>({
      stateProvider: {
        ...provider,
        isInTransaction: async () => false,
        executeSql: (statement) => {
          sent.push(statement);
          return provider.executeSql(statement, undefined);
        },
      },
    });
    await adapter.migrateToLatest();
    const [root] = await adapter.createJobs({ jobs: [aJob()] });
    if (root === undefined) throw new Error("nothing created");
    const lineage = { rootSequenceId: root.job.id, originId: root.job.id };
    given = {
      nothing: aJob({ input: '{"quote":"\\"","comma":",","brace":"}"}' }),
      "a time": aJob({ schedule: { at } }),
      "a delay": aJob({ schedule: { afterMs: 1_234.5 } }),
      "a priority": aJob({ priority: -3 }),
      blockers: aJob({ awaitsBlockers: true }),
      "the failure of blockers": aJob({ awaitsBlockers: true, onBlockerFailure: "fail" }),
      "a trace": aJob({ traceContext: "00-\0-01" }),
      "an origin": aJob(lineage),
      "a sequence": aContinuation(root.job),
      everything: {
        ...aContinuation(root.job, { position: 2, schedule: { at }, priority: 9 }),
        ...{ awaitsBlockers: true, onBlockerFailure: "fail", traceContext: "00-trace" },
      },
    };
  });
  afterAll(() => pool.end());

  /** Two jobs of a sequence cannot have one place. */
  const elsewhere = (job: NewStateJob, position: number): NewStateJob =>
    job.kind === "entry" ? job : { ...job, position };
  let position = 10;

  const expectStored = async (jobs: readonly NewStateJob[]): Promise<void> => {
    sent.length = 0;
    const created = await adapter.createJobs({ jobs });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.name).toMatch(jobs.length === 1 ? /create_(usual_)?job/ : /insert_jobs/);
    const answered = created.map(({ job }) => job);
    const trace = (job: NewStateJob) => job.traceContext?.replace("\0", "\uFFFD") ?? null;
    expect(answered).toMatchObject(
      jobs.map((job, index) => ({
        typeName: job.typeName,
        input: job.input,
        priority: job.priority,
        onBlockerFailure: job.onBlockerFailure,
        status: job.awaitsBlockers ? "blocked" : "pending",
        originId: job.originId,
        rootSequenceId: job.rootSequenceId ?? answered[index]?.id,
        ...(job.kind === "continuation" && { position: job.position, sequenceId: job.sequenceId }),
        ...(job.schedule?.at !== undefined && { scheduledAt: job.schedule.at }),
      })),
    );
    const read = await adapter.getJobs({ ids: answered.map(({ id }) => id) });
    expect(read).toEqual(
      answered.map((job, index) => ({ ...job, traceContext: trace(jobs[index] as NewStateJob) })),
    );
    const ordinals = answered.map(({ ordinal }) => ordinal);
    expect(ordinals).toEqual([...ordinals].sort((left, right) => left - right));
  };

  it("one job of each kind", async () => {
    for (const job of Object.values(given)) await expectStored([elsewhere(job, position++)]);
  });

  it("several of each kind, beside one that is given nothing", async () => {
    for (const job of Object.values(given)) {
      await expectStored([
        elsewhere(job, position++),
        aJob({ typeName: "other" }),
        elsewhere(job, position++),
      ]);
    }
  });

  it("all kinds in one call", () =>
    expectStored(Object.values(given).map((job) => elsewhere(job, position++))));

  it("a delay counts from the creation", async () => {
    const jobs = [aJob({ schedule: { afterMs: 90_000 } }), aJob()];
    const [later, now] = await adapter.createJobs({ jobs });
    const [delayed, due] = [later, now].map((one) => one?.job);
    expect(Number(delayed?.scheduledAt) - Number(delayed?.createdAt)).toBe(90_000);
    expect(due?.scheduledAt).toEqual(due?.createdAt);
    expect(due?.createdAt).toEqual(delayed?.createdAt);
  });
});
