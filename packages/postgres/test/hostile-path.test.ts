// A role may create objects in a schema on the session's path. It plants functions, operators, aggregates and types with
// the signatures that our statements use. If a statement finds one of them, its code runs with the rights of the worker.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { routines } from "../src/routines/index.ts";
import { fillRoutine } from "../src/routines/routine.ts";
import { createStoreNames } from "../src/store-names.ts";
import type { TestConnection } from "../src/testing.ts";
import { callEveryMethod } from "./call-every-method.ts";

const scalars = [
  ...["text", "uuid", "integer", "bigint", "float8", "boolean", "timestamptz", "interval", "tid"],
  ...["json", "oid"],
];
const types = [...scalars, ...scalars.map((type) => `${type}[]`)].map(
  (type) =>
    `pg_catalog.${type.replace("integer", "int4").replace("bigint", "int8").replace("boolean", "bool")}`,
);
const operators = ["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "||"];
const aggregates = ["array_agg", "min", "max", "count", "bool_or", "json_agg", "string_agg"];
const names = createStoreNames("queuert", "uuid");

/** Every function that the routines call by an unqualified name. */
const calledNames = (): readonly string[] => {
  const text = routines.map((routine) => fillRoutine(routine, names, "pg_catalog")).join("\n");
  const called = [...text.matchAll(/(?<![\w.])([a-z_]+)\(/g)].map(([, name = ""]) => name);
  return [...new Set([...called, "now", "generate_series", "array_agg", "to_regclass"])];
};

const plantType = (type: string): string =>
  `CREATE DOMAIN public.${type} AS pg_catalog.${type} CHECK (public.planted('type ${type}') IS NULL)`;

// The identity of the calls survives a rollback, since sequences do.
const prepareSql = (worker: string, hostile: string, database: string): string => `
  CREATE ROLE ${worker} LOGIN; CREATE ROLE ${hostile} LOGIN;
  GRANT CREATE ON DATABASE ${database} TO ${worker};
  GRANT CREATE, USAGE ON SCHEMA public TO PUBLIC;
  CREATE SEQUENCE public.job_id; GRANT USAGE ON SEQUENCE public.job_id TO ${worker};
  SET ROLE ${hostile};
  CREATE SEQUENCE public.planted_calls;
  GRANT ALL ON SEQUENCE public.planted_calls TO PUBLIC;
  CREATE FUNCTION public.planted(what pg_catalog.text) RETURNS pg_catalog.text LANGUAGE plpgsql
  SET search_path = pg_catalog AS $$
    BEGIN
      PERFORM nextval('public.planted_calls');
      RAISE EXCEPTION 'planted code ran: %', what;
    END $$`;

const body = (what: string): string =>
  `LANGUAGE plpgsql SET search_path = pg_catalog AS ` +
  `$$ BEGIN PERFORM public.planted('${what.replaceAll("'", "''")}'); RETURN NULL; END $$`;

/** A function for each signature in `pg_catalog`, with all types in the place of a polymorphic one. */
const plantFunctionsSql = `
  SELECT p.proname AS name, p.proretset AS is_set, r.typname AS returns, ARRAY(
    SELECT t.typname::text FROM unnest(p.proargtypes) WITH ORDINALITY AS a (oid, place)
    JOIN pg_type t ON t.oid = a.oid ORDER BY a.place) AS args
  FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
  WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY($1)`;

interface Signature {
  readonly name: string;
  readonly is_set: boolean;
  readonly returns: string;
  readonly args: readonly string[];
}

const isPolymorphic = (type: string): boolean => type.startsWith("any");

const concrete = (type: string, element: string): string => {
  if (!isPolymorphic(type)) return `pg_catalog.${type}`;
  return /(?<!non)array$/.test(type) ? `${element}[]` : element;
};

const plant = (signature: Signature, element: string): string => {
  const { name, is_set, returns } = signature;
  const args = signature.args.map((type) => concrete(type, element)).join(", ");
  const what = `${name}(${args})`;
  if (aggregates.includes(name)) {
    const state = `public.state_of_${name}`;
    const stateArgs = args === "" ? "pg_catalog.text" : `pg_catalog.text, ${args}`;
    return `CREATE OR REPLACE FUNCTION ${state}(${stateArgs}) RETURNS pg_catalog.text ${body(what)};
      CREATE AGGREGATE public.${name}(${args === "" ? "*" : args}) (SFUNC = ${state}, STYPE = pg_catalog.text)`;
  }
  const result = concrete(returns, element);
  const hasNoResult = is_set || returns === "void";
  const code = hasNoResult ? body(what).replace("RETURN NULL", "RETURN") : body(what);
  return `CREATE FUNCTION public.${name}(${args}) RETURNS ${is_set ? "SETOF " : ""}${result} ${code}`;
};

const plantOperator = (operator: string, left: string, right: string, index: number): string => {
  const isComparison = /[=<>]/.test(operator);
  const returns = isComparison ? "pg_catalog.bool" : left;
  return `CREATE FUNCTION public.operator_${index}(${left}, ${right}) RETURNS ${returns}
      ${body(`${left} ${operator} ${right}`)};
    CREATE OPERATOR public.${operator} (LEFTARG = ${left}, RIGHTARG = ${right}, FUNCTION = public.operator_${index})`;
};

const connections: readonly (readonly [string, (url: string, path: string) => TestConnection])[] = [
  [
    "pg",
    (url, path) => {
      const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${path}` });
      return { provider: createPgPoolStateProvider(pool), close: () => pool.end() };
    },
  ],
  [
    "postgres.js",
    (url, path) => {
      const sql = postgres(url, {
        fetch_types: false,
        onnotice: () => {},
        connection: { search_path: path },
      });
      return { provider: createPostgresJsStateProvider(sql), close: () => sql.end({ timeout: 5 }) };
    },
  ],
];

// The default path, and one on which even `pg_catalog` comes second.
const paths = ["public", "public,pg_catalog"];

describe("a hostile role on the path", () => {
  let url = "";
  let workerUrl = "";
  let admin: pg.Client;
  let plantedCount = 0;

  beforeAll(async () => {
    const database = await providedPostgres().createDatabase();
    url = database.url;
    const asWorker = new URL(url);
    asWorker.username = `${database.name}_worker`;
    workerUrl = asWorker.href;
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(prepareSql(asWorker.username, `${database.name}_hostile`, database.name));
    const { rows } = await admin.query<Signature>(plantFunctionsSql, [calledNames()]);
    const statements = new Set([
      ...rows.flatMap((signature) =>
        [signature.returns, ...signature.args].some(isPolymorphic)
          ? types.map((type) => plant(signature, type))
          : [plant(signature, "")],
      ),
      ...operators.flatMap((operator, place) =>
        types.flatMap((left, row) =>
          types.map((right, column) =>
            plantOperator(
              operator,
              left,
              right,
              (place * types.length + row) * types.length + column,
            ),
          ),
        ),
      ),
      ...["text", "uuid", "float8", "timestamptz", "int8", "int4"].map(plantType),
    ]);
    const errors = new Set<string>();
    for (const statement of statements) {
      // Two polymorphic signatures may become the same.
      await admin.query(statement).then(
        () => (plantedCount += 1),
        (error: Error) => errors.add(error.message),
      );
    }
    expect([...errors].filter((message) => !message.includes("already exists"))).toEqual([]);
    await admin.query("RESET ROLE");
  }, 120_000);
  afterAll(() => admin.end());

  const plantedCallCount = async (): Promise<number> => {
    const { rows } = await admin.query<{ count: number }>(
      "SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS count FROM public.planted_calls",
    );
    return rows[0]?.count ?? -1;
  };

  it.each([
    "SELECT array_position(ARRAY['a']::pg_catalog.text[], 'a'::pg_catalog.text)",
    "SELECT cardinality(ARRAY[1])",
    "SELECT unnest(ARRAY['a']::pg_catalog.text[])",
    "SELECT array_agg(1)",
    "SELECT ARRAY[1] || ARRAY[2]",
    "SELECT ARRAY['a']::pg_catalog.text[] <> ARRAY['a']::pg_catalog.text[]",
  ])("planted code would run in %s, even on the default path", async (sql) => {
    const client = new pg.Client({ connectionString: workerUrl });
    await client.connect();
    const before = await plantedCallCount();
    await expect(client.query(sql)).rejects.toThrow("planted code ran");
    expect(await plantedCallCount()).toBe(before + 1);
    await client.end();
  });

  it.each(connections.flatMap(([name, connect]) => paths.map((path) => ({ name, path, connect }))))(
    "runs no planted code in any method through $name on the path $path",
    async ({ name, path, connect }) => {
      expect(plantedCount).toBeGreaterThan(1_000);
      const before = await plantedCallCount();
      const { provider, close } = connect(workerUrl, path);
      for (const store of [
        { schema: `${name} ${path}` },
        {
          schema: `${name} ${path} text`,
          idType: "text",
          idDefault: "pg_catalog.gen_random_uuid()::pg_catalog.text",
        },
        {
          schema: `${name} ${path} number`,
          idType: "bigint",
          idDefault: "pg_catalog.nextval('public.job_id')",
        },
      ]) {
        const adapter = await createPgStateAdapter({ stateProvider: provider, ...store });
        await adapter.planMigrations();
        await adapter.migrateToLatest();
        await callEveryMethod(adapter);
        expect(await adapter.checkSchema()).toEqual({ missing: [], unexpected: [] });
      }
      await close();
      expect(await plantedCallCount()).toBe(before);
    },
    60_000,
  );

  it("every routine pins its path", async () => {
    const { rows } = await admin.query<{ name: string; config: string }>(
      `SELECT p.proname AS name, array_to_string(p.proconfig, ' ') AS config FROM pg_proc p
      WHERE p.pronamespace = '"pg public"'::regnamespace`,
    );
    // One more is the function of a trigger.
    expect(rows).toHaveLength(routines.length + 1);
    for (const { name, config } of rows) {
      expect([name, config]).toEqual([
        name,
        expect.stringContaining("search_path=pg_catalog, pg_temp"),
      ]);
    }
  });

  it("refuses an id type whose schema is open to every role", async () => {
    await admin.query("CREATE EXTENSION IF NOT EXISTS citext SCHEMA public");
    const { provider, close } = (connections[0]?.[1] ?? expect.unreachable())(url, "public");
    const options = { stateProvider: provider, schema: "citexts", idType: "public.citext" };
    const adapter = await createPgStateAdapter(options);
    await expect(adapter.migrateToLatest()).rejects.toMatchObject({
      code: "QUEUERT_PG_INVALID_OPTION",
      option: "idType",
      message: expect.stringContaining("REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
    });
    await admin.query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    await adapter.migrateToLatest();
    await close();
  });
});
