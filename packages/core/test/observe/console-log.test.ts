import { describe, expect, it } from "vitest";
import { createConsoleLog } from "../../src/observe/console-log.ts";
import { createObserver } from "../../src/observe/observer.ts";
import { describeError, describeReason } from "../../src/model/describe-error.ts";
import type { LogEvent } from "../../src/observe/log.ts";

const esc = String.fromCodePoint(27);

/** The texts that a console log prints. */
const printed = (write: (log: ReturnType<typeof createConsoleLog>) => void): readonly string[] => {
  const lines: string[] = [];
  const print = (...args: readonly unknown[]): void => {
    expect(args).toHaveLength(1);
    lines.push(String(args[0]));
  };
  const target = { debug: print, info: print, warn: print, error: print };
  write(createConsoleLog({ minimumLevel: "debug", console: target }));
  return lines;
};

const event = (data: LogEvent["data"], message = "a sentence", error?: unknown): LogEvent => ({
  level: "error",
  type: "jobFailed",
  message,
  data,
  ...(error === undefined ? {} : { error }),
});

describe("the console log", () => {
  it("prints each id once", () => {
    const [line] = printed((log) =>
      log(event({ id: "j1", sequenceId: "j1", rootSequenceId: "r1" }, "job j1 failed")),
    );
    expect(line).toMatch(/error queuert job j1 failed \(rootSequenceId=r1\)$/u);
  });

  it("prints an error's stack and causes, without its other fields", () => {
    const cause = Object.assign(new Error("duplicate key"), {
      detail: "Failing row contains (s3cret)",
    });
    const error = Object.assign(new Error("the insert failed", { cause }), { where: "s3cret" });
    const [text] = printed((log) => log(event({}, "a sentence", error)));
    expect(text).toContain("the insert failed");
    expect(text).toContain("Caused by: Error: duplicate key");
    expect(text).not.toContain("s3cret");
  });

  it("cannot be made to print a line that looks like one of its own", () => {
    const forged = `x\n2026-01-01T00:00:00.000Z error queuert worker stopped${esc}[2K`;
    const lines = printed((log) => {
      createObserver(log, {}).emit("jobFailed", () => ({
        id: "j1",
        typeName: forged,
        sequenceId: "j1",
        sequenceTypeName: forged,
        rootSequenceId: "j1",
        originId: null,
        workerId: forged,
        reason: forged,
      }));
      log(event({ workerId: forged }, forged, new Error(forged)));
    });
    const [first, ...others] = lines.join("\n").split("\n");
    expect(first).toContain("\\u000a2026");
    expect(lines.join("\n")).not.toContain(esc);
    expect(others.filter((line) => /^\d{4}-/u.test(line))).toHaveLength(1);
  });
});

describe("a thrown object", () => {
  const thrown = { status: 500, body: { secret: "s3cret" } };

  it("is neither stored nor logged whole", () => {
    expect(describeError(thrown)).not.toContain("s3cret");
    const [text] = printed((log) => log(event({}, "a sentence", thrown)));
    expect(text).not.toContain("s3cret");
  });

  it("keeps its message", () => {
    expect(describeError({ message: "no route", body: "s3cret" })).toBe("no route");
    expect(describeReason({ message: "no route\nmore" })).toBe("no route");
  });
});
