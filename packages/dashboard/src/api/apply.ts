// `POST apply`: applies a plan in steps, and answers a line for each. It stops by `POST stop`, or when the client goes away.
import type { ApplyProgress, ApplyResult } from "queuert/operator";
import type { ApplyLine, Right, StopAnswer } from "../api-types.ts";
import { toFailure } from "../api-failure.ts";
import { asJson } from "./json.ts";
import { rightOfAction } from "./plans.ts";
import { optionalNumber, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

/** The right of the action that was planned. A forged token is refused here. */
export const rightOfToken = ({ operator, body }: Pick<Call, "operator" | "body">): Right =>
  rightOfAction(operator.readPlan(requiredText("token", body["token"])).action);

export const apply = async (call: Call): Promise<Response> => {
  const { applying, signal, body } = call;
  const { stop, end } = applying.begin(requiredText("token", body["token"]));
  const stopSignal = AbortSignal.any([stop.signal, signal]);
  const lines = new Lines(() => stop.abort());
  const result = run(call, stopSignal, (progress) =>
    lines.add({ kind: "progress", ...progress }),
  ).finally(end);
  // A refusal before the first step has a status of its own.
  await Promise.race([lines.first, result]);
  result.then(
    (finished) => lines.end({ kind: "finished", ...asJson(finished) }),
    (error: unknown) => {
      const failure = toFailure(error);
      if (failure.isUnexpected) (call.options.onError ?? console.error)(error);
      lines.end({ kind: "failed", error: failure.body });
    },
  );
  return new Response(lines.stream, {
    headers: { "content-type": "application/x-ndjson", "x-accel-buffering": "no" },
  });
};

const run = async (
  { operator, grant, body }: Call,
  signal: AbortSignal,
  onProgress: (progress: ApplyProgress) => void,
): Promise<ApplyResult> =>
  operator.apply({
    token: requiredText("token", body["token"]),
    count: optionalNumber("count", body["count"]),
    user: grant.user ?? undefined,
    pacePerMinute: optionalNumber("pacePerMinute", body["pacePerMinute"]),
    signal,
    onProgress,
  });

/** A stream of lines. A client that has gone is not written to. */
class Lines {
  readonly stream: ReadableStream<Uint8Array>;
  readonly first: Promise<void>;
  #begin: () => void = () => undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onCancel: () => void) {
    this.first = new Promise((resolve) => (this.#begin = resolve));
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        onCancel();
      },
    });
  }

  add(line: ApplyLine): void {
    this.#controller?.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    this.#begin();
  }

  end(line: ApplyLine): void {
    this.add(line);
    this.#controller?.close();
  }
}

export const stop = async ({ applying, grant, operator, body }: Call): Promise<StopAnswer> => {
  const token = requiredText("token", body["token"]);
  // A plan is stopped by the person that made it.
  const isOwn = operator.readPlan(token).user === grant.user;
  return { stopped: isOwn && applying.stop(token) };
};
