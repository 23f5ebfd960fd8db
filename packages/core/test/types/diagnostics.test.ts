// That a mistake is refused is tested by the `.test-d.ts` files; here, that the refusal can be
// read.
import { beforeAll, describe, expect, it } from "vitest";
import { compile, compilers, coreFolder, type CompilerName } from "./compile.ts";
import { misuses } from "./misuses.ts";

const preamble = `
import { defineUnionJobTypes } from "${coreFolder}/src/job-types/define-job-types.ts";
import type { DefineBlocker, DefineContinuationInput, DefineContinuationOutput, DefineSignal } from "${coreFolder}/src/job-types/markers.ts";
import type { Queuert } from "${coreFolder}/src/queuert-types.ts";
import { client, id, queuert, type TestStateAdapter } from "${coreFolder}/test/types/fixtures.ts";
void [client, id, defineUnionJobTypes];
const worker = queuert.createWorker();
`;

const fileName = (index: number): string => `misuse-${index}.mts`;

/** The first two lines of the first message about each file. */
const firstLines = (output: string): Map<string, string> => {
  const messages = output.split(/^(?=\S+\.m?ts\(\d+,\d+\): error )/m);
  const found = new Map<string, string>();
  for (const message of messages) {
    const file = message.slice(0, message.indexOf("("));
    if (!found.has(file)) found.set(file, message.split("\n").slice(0, 2).join("\n"));
  }
  return found;
};

describe.each(Object.keys(compilers) as CompilerName[])("%s", (compiler) => {
  let messages = new Map<string, string>();

  beforeAll(async () => {
    const files = misuses.map(({ code }, index) => [fileName(index), preamble + code]);
    const noMistake =
      "void queuert.startJobSequence({ client, typeName: 'poll', input: { url: '' } });";
    const output = await compile(compiler, {
      ...Object.fromEntries(files),
      "no-mistake.mts": `${preamble}${noMistake} void worker;`,
    });
    messages = firstLines(output);
  });

  it("reports nothing but the misuses", () => {
    const expected = misuses.map((_, index) => fileName(index));
    expect([...messages.keys()].filter(Boolean).sort()).toEqual(expected.sort());
  });

  it.each(misuses.map((misuse, index) => ({ ...misuse, file: fileName(index) })))(
    "says in a sentence: $name",
    ({ file, says }) => {
      expect(messages.get(file)).toContain(says);
    },
  );
});
