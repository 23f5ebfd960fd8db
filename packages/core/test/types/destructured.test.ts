// A start is most often destructured where it is made. The expected types of its parts must not
// decide which type is started.
import { join } from "node:path";
import { expect, it } from "vitest";
import { compile, type CompilerName, compilers, coreFolder } from "./compile.ts";

const source = `
import { createInProcessStateAdapter, createQueuert, type DefineBlocker, defineUnionJobTypes } from "${join(coreFolder, "src/index.ts")}";

const queuert = await createQueuert({
  stateAdapter: createInProcessStateAdapter(),
  jobTypeDefinitions: defineUnionJobTypes<{
    mail: { input: { to: string }; output: { sent: boolean } };
    album: { input: null; output: null; blockers: DefineBlocker<"mail">[] };
  }>(),
});
const input = { to: "ada@example.com" };
const { id, typeName } = await queuert.transaction((context) =>
  queuert.startJobSequence({ ...context, typeName: "mail", input }),
);
const ended = await queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 1 });
export const sent: boolean = ended.output.sent;
export const [{ id: first }, { typeName: second }] = await queuert.transaction((context) =>
  queuert.startJobSequences({ ...context, sequences: [{ typeName: "mail", input }, { typeName: "mail", input }] }),
);
export const name: "mail" = second;
`;

it.each(Object.keys(compilers) as CompilerName[])(
  "%s takes a start apart",
  async (compiler) => {
    expect(await compile(compiler, { "taken-apart.mts": source })).toBe("");
  },
  60_000,
);
