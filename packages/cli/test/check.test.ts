import { describe, expect, it } from "vitest";
import { createProject } from "./project.ts";
import { createStore } from "./stores.ts";

/** A schema without a library: the input must have these fields. */
const schema = (...fields: readonly string[]): string => `({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const missing = ${JSON.stringify(fields)}.filter((field) => !(field in value));
      return missing.length === 0
        ? { value }
        : { issues: missing.map((field) => ({ message: "Required", path: [field] })) };
    },
  },
})`;

const configOf = (url: string, catalogue: string): string => `
import { defineUnionJobTypes } from "queuert";
export default {
  url: ${JSON.stringify(url)},
  jobTypeDefinitions: defineUnionJobTypes(${catalogue}),
};
`;

describe("check", () => {
  it("finds types that nothing defines, and inputs that the schema refuses", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    const client = await store.open();
    for (const name of ["ada", "bob"]) {
      await client.startJobSequence({ typeName: "greet", input: { name }, autocommit: true });
    }
    const charge = await client.startJobSequence({
      typeName: "charge",
      input: { order: "A-1" },
      autocommit: true,
    });
    const check = async (catalogue: string, ...args: string[]) => {
      project.write("queuert.config.mjs", configOf(store.url, catalogue));
      return project.queuert(["check", ...args]);
    };

    const bad = await check(
      `{ greets: { entry: true }, charge: { entry: true, input: ${schema("order", "currency")} } }`,
    );
    expect(bad.exitCode, bad.stderr).toBe(6);
    const [refused, unknown, well] = bad.stdout.split("\n");
    expect(refused).toBe(`✗ 1 of 1 "charge": input.currency: Required → ${charge.id}`);
    expect(unknown).toMatch(
      /^✗ 2 jobs of "greet" \(oldest .*\): this build does not define it\. Did you mean "greets"\? Then give it `formerNames: \["greet"\]`\. → /,
    );
    expect(well).toBe("✓ 0 types with unfinished jobs");

    const upcast = `[{ from: ${schema("order")}, to: (old) => ({ ...old, currency: "EUR" }) }]`;
    const good = `{
      greets: { entry: true, formerNames: ["greet"] },
      charge: { entry: true, input: ${schema("order", "currency")}, upcast: ${upcast} },
    }`;
    expect(await check(good)).toMatchObject({
      exitCode: 0,
      stdout: "✓ 2 types with unfinished jobs\n",
    });
    const json = await check(good, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      isWell: true,
      types: [
        { typeName: "charge", jobCount: 1, examined: 1, refused: 0 },
        { typeName: "greets", jobCount: 2, statuses: { pending: 2 }, examined: 0 },
      ],
    });
  });

  it("a start that the schema refuses prints its reasons", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    await store.open();
    const catalogue = `{ charge: { entry: true, input: ${schema("order", "currency")} } }`;
    project.write("queuert.config.mjs", configOf(store.url, catalogue));
    const start = (...args: string[]) =>
      project.queuert(["start", "charge", "--input", '{"order":1}', ...args]);
    const refused = await start();
    expect(refused.stderr).toMatch(/^QUEUERT_INVALID_PAYLOAD: .*\n {2}currency: Required\n$/);
    expect(JSON.parse((await start("--json")).stderr)).toMatchObject({
      error: { code: "QUEUERT_INVALID_PAYLOAD", issues: ["currency: Required"] },
    });
  });

  it("needs a catalogue, and a number", async () => {
    const project = createProject();
    const store = await createStore("sqlite", project.folder);
    await store.open();
    const without = await project.queuert(["--url", store.url, "check"]);
    expect(without).toMatchObject({ exitCode: 2 });
    expect(without.stderr).toContain("has no catalogue to check with");
    const zero = await project.queuert(["--url", store.url, "check", "--examine", "0"]);
    expect(zero.exitCode).toBe(2);
    expect(zero.stderr).toContain("takes a positive number");
  });
});
