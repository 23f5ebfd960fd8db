import { JobAbortedError, throwIfAborted } from "queuert";
import { describe, expect, it } from "vitest";

describe("throwIfAborted", () => {
  const controller = new AbortController();
  // The signal of a process function is an `AbortSignal` with strings as reasons.
  const signal = controller.signal as Parameters<typeof throwIfAborted>[0];

  it("does nothing before the abort, and throws an error with the reason after it", () => {
    expect(() => throwIfAborted(signal)).not.toThrow();
    controller.abort("timeout");
    expect(() => throwIfAborted(signal)).toThrow(JobAbortedError);
    expect(() => throwIfAborted(signal)).toThrow("`timeoutMs`");
    try {
      throwIfAborted(signal);
    } catch (error) {
      expect(error).toMatchObject({ code: "QUEUERT_JOB_ABORTED", reason: "timeout" });
    }
  });
});
