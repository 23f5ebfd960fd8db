import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  checkSqliteSchema,
  createSqliteStateAdapter,
  migrateSqliteSchema,
  SqliteSchemaDriftError,
  SqliteSchemaTooNewError,
  SqliteSchemaTooOldError,
} from "../src/index.ts";
import { migrations } from "../src/migrations/index.ts";
import { openProvider, temporaryFile } from "./open-store.ts";

// A released migration is never edited: add another one, and its checksum here.
const frozen: Readonly<Record<string, string>> = {
  "create-store": "6d2c77b283b12462",
  control: "10991a4c782b24e1",
  schedules: "508c29067b71a090",
  operator: "9f234a6bd9d93204",
  metrics: "af12d58ecfc1995d",
  limits: "d2c45835f9dd568b",
  deadlines: "dc431143c78bb587",
  logs: "54eac7d3924196c2",
  "limit-keys": "55c34e32d49cfcce",
  "shared-errors": "d26773cd00b301b5",
};

const all = migrations.map(({ name }, index) => ({ version: index + 1, name }));

const snapshotFile = fileURLToPath(new URL("schema.snapshot.sql", import.meta.url));

describe("migrations", () => {
  it("are frozen", () => {
    const checksums = migrations.map(({ name, sql }) => [
      name,
      createHash("sha256").update(sql).digest("hex").slice(0, 16),
    ]);
    expect(Object.fromEntries(checksums)).toEqual(frozen);
  });

  it("make the schema of the snapshot", async () => {
    const stateProvider = await openProvider(temporaryFile());
    await migrateSqliteSchema({ stateProvider });
    const schema = await stateProvider.read((connection) =>
      connection
        .prepare(
          "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .all()
        .map(([sql]) => `${String(sql)};\n`)
        .join("\n"),
    );
    if (process.env["UPDATE_SCHEMA_SNAPSHOT"] === "1") writeFileSync(snapshotFile, schema);
    expect(schema).toBe(readFileSync(snapshotFile, "utf8"));
  });

  it("run once when several connections start at the same instant", async () => {
    const filename = temporaryFile();
    const results = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const stateProvider = await openProvider(filename);
        return migrateSqliteSchema({ stateProvider });
      }),
    );
    expect(results.flatMap(({ applied }) => applied)).toEqual(all);
  });

  it("are returned, not applied, in a dry run", async () => {
    const stateProvider = await openProvider(temporaryFile());
    const plan = await migrateSqliteSchema({ stateProvider, dryRun: true });
    expect(plan.applied).toEqual(all);
    await expect(createSqliteStateAdapter({ stateProvider, migrate: false })).rejects.toThrow(
      SqliteSchemaTooOldError,
    );
    await stateProvider.write((connection) => connection.exec(plan.sql));
    await checkTables(stateProvider);
  });

  it("refuse a schema that is newer than this release", async () => {
    const stateProvider = await openProvider(temporaryFile());
    await migrateSqliteSchema({ stateProvider });
    await stateProvider.write((connection) =>
      connection.exec("INSERT INTO queuert_migration VALUES (99, 'from-the-future', 0, NULL)"),
    );
    await expect(createSqliteStateAdapter({ stateProvider })).rejects.toThrow(
      SqliteSchemaTooNewError,
    );
  });

  it("keep stores of different prefixes apart in one file", async () => {
    const stateProvider = await openProvider(temporaryFile());
    await createSqliteStateAdapter({ stateProvider, tablePrefix: "" });
    await createSqliteStateAdapter({ stateProvider, tablePrefix: "other_", idType: "VARCHAR(36)" });
    await checkSqliteSchema({ stateProvider, tablePrefix: "" });
    await checkSqliteSchema({ stateProvider, tablePrefix: "other_", idType: "VARCHAR(36)" });
  });
});

describe("checkSqliteSchema", () => {
  it("finds missing, changed and added tables, and changes nothing", async () => {
    const stateProvider = await openProvider(temporaryFile());
    await migrateSqliteSchema({ stateProvider });
    await checkSqliteSchema({ stateProvider });
    await stateProvider.write((connection) =>
      connection.exec(`
DROP INDEX queuert_job_due;
CREATE INDEX queuert_mine ON queuert_job (created_at);
ALTER TABLE queuert_job ADD COLUMN note TEXT;`),
    );
    const before = await schemaNames(stateProvider);
    const error: unknown = await checkSqliteSchema({ stateProvider }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SqliteSchemaDriftError);
    expect((error as SqliteSchemaDriftError).differences).toEqual([
      "queuert_job_due is missing",
      "queuert_job was changed",
      "queuert_mine was added",
    ]);
    expect(await schemaNames(stateProvider)).toEqual(before);
  });
});

type Provider = Awaited<ReturnType<typeof openProvider>>;

const schemaNames = (provider: Provider): Promise<readonly unknown[]> =>
  provider.read((connection) =>
    connection.prepare("SELECT name FROM sqlite_schema ORDER BY name").all(),
  );

const checkTables = async (provider: Provider): Promise<void> => {
  const names = await schemaNames(provider);
  expect(names.flat()).toEqual(
    expect.arrayContaining(["queuert_job", "queuert_job_blocker", "queuert_migration"]),
  );
};
