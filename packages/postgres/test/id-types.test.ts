// Ids made by the server: of another version, or of another type altogether.
import pg from "pg";
import { aContinuation, extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter, type PgStateAdapterOptions } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { extendWithStatePostgres } from "../src/testing.ts";
import { anEntryJob } from "./call-every-method.ts";
import { connectPg, lazyDatabaseUrl, servers } from "./fixtures.ts";

const bigint = { idType: "bigint", idDefault: "nextval('public.job_id')" };
const upperCase = "01890A5D-AC96-774B-BCCE-B302099A8057";
const types = [{ typeName: "task", leaseMs: 60_000, limit: 10 }];

describe.each(servers)("%s", (_server, databases) => {
  const url = lazyDatabaseUrl(databases);
  let pool: pg.Pool;
  let schemas = 0;

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await url(), max: 5 });
    await pool.query("CREATE SEQUENCE public.job_id START 9007199254740993");
  });
  afterAll(() => pool.end());

  describe("ids of type bigint, from a sequence", () => {
    stateAdapterTestSuite({
      it: extendWithStatePostgres(extendWithCommon(it), {
        connect: async () => connectPg(await url()),
        adapter: bigint,
      }),
    });
  });

  const open = async (options: Partial<PgStateAdapterOptions<object, object>>) => {
    const adapter = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool),
      ...options,
    });
    await adapter.migrateToLatest();
    return adapter;
  };

  it.each([
    ["gen_random_uuid()", undefined, /^[0-9a-f]{8}-[0-9a-f]{4}-4/],
    ["'job_' || gen_random_uuid()", "text", /^job_[0-9a-f-]{36}$/],
    ["nextval('public.job_id')", "bigint", /^90071992547\d{5}$/],
    [undefined, "text", /^[0-9a-f]{8}-[0-9a-f]{4}-7/],
    [undefined, undefined, /^[0-9a-f]{8}-[0-9a-f]{4}-7/],
  ])(
    "ids by %s of type %s: of entries, of continuations, alone and in transactions",
    async (...row) => {
      const [idDefault, idType, pattern] = row;
      const adapter = await open({ schema: `ids_${(schemas += 1)}`, idType, idDefault });
      const jobs = [anEntryJob({ typeName: "task" })];
      const alone = await adapter.createJobs({ jobs });
      const inside = await adapter.runInTransaction((context) =>
        adapter.createJobs({ context, jobs: [...jobs] }),
      );
      const acquired = await adapter.acquireJobs({ workerId: "w", limit: 2, types });
      const { results } = await adapter.completeJobs({
        workerId: "w",
        completions: acquired.jobs.map(({ job }) => ({
          jobId: job.id,
          leaseVersion: job.leaseVersion,
          outcome: { kind: "continuation", job: aContinuation(job) },
        })),
      });
      const continued = results.map((result) =>
        result.kind === "completed" ? result.continuation?.id : result.reason,
      );
      const ids = [...alone, ...inside].map(({ job }) => job.id);
      expect(new Set([...ids, ...continued]).size).toBe(4);
      for (const id of [...ids, ...continued]) expect(id).toMatch(pattern);
    },
  );

  it.each(["9223372036854775808", "-0", "1.5", "", "job", "\0"])(
    "%j is no bigint, and so no job's: the caller's transaction goes on",
    async (id) => {
      const adapter = await open({ ...bigint, schema: "numbered" });
      await adapter.runInTransaction(async (context) => {
        expect(await adapter.getJobs({ context, ids: [id] })).toEqual([undefined]);
        expect(await adapter.lockSequences({ context, ids: [id] })).toEqual([undefined]);
      });
    },
  );

  // A cast would cut them off, or pad them, and the ids that callers have would be no job's.
  it.each(["bigint", "varchar(26)", "char(40)"])(
    "refuses the idType %s without an idDefault",
    async (idType) => {
      await expect(open({ idType })).rejects.toMatchObject({
        code: "QUEUERT_PG_INVALID_OPTION",
        option: "idDefault",
      });
    },
  );

  it.each([
    ["bigint", "nextval('public.job_id')", "7", "7", "seven"],
    ["varchar(5)", "left(md5(random()::text), 5)", "order", "order", "orders"],
    ["text", undefined, "order 7", "order 7", "order\0"],
    ["uuid", undefined, upperCase, upperCase.toLowerCase(), "order"],
  ])("%s: an id that the caller gives, beside those by %s", async (...row) => {
    const [idType, idDefault, id = "", stored, wrong = ""] = row;
    const adapter = await open({ schema: `given_${(schemas += 1)}`, idType, idDefault });
    const jobs = [anEntryJob(), { ...anEntryJob(), id }, { ...anEntryJob(), id }];
    const created = await adapter.runInTransaction((context) =>
      adapter.createJobs({ context, jobs }),
    );
    const ids = created.map(({ job }) => job.id);
    expect(ids.slice(1)).toEqual([stored, stored]);
    expect(created.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true]);
    expect((await adapter.getJobs({ ids })).map((job) => job?.id)).toEqual(ids);
    // Refused before the server sees it: the transaction goes on.
    await adapter.runInTransaction(async (context) => {
      const starting = adapter.createJobs({ context, jobs: [{ ...anEntryJob(), id: wrong }] });
      await expect(starting).rejects.toMatchObject({ code: "QUEUERT_PG_INVALID_JOB_ID", idType });
      await adapter.createJobs({ context, jobs: [anEntryJob()] });
    });
  });

  it("an id longer than its type is no job's, and not that of a job it begins with", async () => {
    const idDefault = "left(md5(random()::text), 26)";
    const adapter = await open({ schema: "short", idType: "varchar(26)", idDefault });
    const [created] = await adapter.createJobs({ jobs: [anEntryJob()] });
    const id = created?.job.id ?? "";
    const [found, ...others] = await adapter.getJobs({ ids: [id, `${id}x`] });
    expect(found?.id).toBe(id);
    expect(others).toEqual([undefined]);
  });

  it.each([
    ["uuid", "no_such_function()"],
    ["uuid", "gen_random_uuid("],
    ["uuid", "'abc'"],
    ["text", "NULL"],
    ["varchar(5)", "'job_' || gen_random_uuid()"],
  ])("%s by %s: the option is named, alone and in transactions", async (idType, idDefault) => {
    const adapter = await open({ schema: `wrong_${(schemas += 1)}`, idType, idDefault });
    const jobs = [anEntryJob()];
    const expected = { code: "QUEUERT_PG_INVALID_OPTION", option: "idDefault" };
    await expect(adapter.createJobs({ jobs })).rejects.toMatchObject(expected);
    // There a cast cuts it off, as the server does.
    if (idType === "varchar(5)") return;
    const inside = adapter.runInTransaction((context) =>
      adapter.createJobs({ context, jobs: [...jobs] }),
    );
    await expect(inside).rejects.toMatchObject(expected);
  });

  it.each(["", "  ", 5])("refuses the idDefault %j", async (idDefault) => {
    await expect(open({ idDefault: idDefault as string })).rejects.toMatchObject({
      option: "idDefault",
    });
  });

  it("names the option when the database has no such type", async () => {
    await expect(open({ schema: "untyped", idType: "no_such_type" })).rejects.toMatchObject({
      code: "QUEUERT_PG_INVALID_OPTION",
      option: "idType",
    });
  });
});
