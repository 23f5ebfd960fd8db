// Jobs that run in a request: a timer of the platform calls the handler, and each call runs jobs for a while.
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertFunction, assertObject, hasMethods } from "../model/assert-option.ts";
import type { ProcessOnceOptions, ProcessOnceResult } from "../public-types/process-once.ts";
import { QueuertError } from "../queuert-error.ts";
import { toProcessOnceSettings } from "../worker/process-once-options.ts";
import type { Authorize } from "./bearer.ts";

/** A worker that is not started: the result of `createWorker` with its job types. */
export interface OnceWorker {
  processOnce(options: ProcessOnceOptions): Promise<ProcessOnceResult>;
}

/** The options of `createWorkHandler`. */
export interface WorkHandlerOptions extends ProcessOnceOptions {
  /** The worker, or a function that makes it at the first request. */
  readonly worker: OnceWorker | (() => OnceWorker | Promise<OnceWorker>);
  /** Which requests may run jobs, such as `bearer(secret)`. All others are answered with status 401. */
  readonly authorize: Authorize;
  /** Receives the error behind an answer of status 500. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const onceOptionNames = ["budgetMs", "concurrency", "maxJobs", "reserveMs", "workerId"];

/**
 * Makes a handler of requests that runs due jobs for at most `budgetMs`, and answers with their number. It works wherever a
 * `Request` is answered with a `Response`. A call with GET or POST does the same.
 *
 * @example
 * export const POST = createWorkHandler({ worker, authorize: bearer(process.env["CRON_SECRET"]), budgetMs: 25_000 });
 *
 * @example
 * ```ts
 * export const GET = createWorkHandler({
 *   worker,
 *   authorize: bearer(() => process.env["CRON_SECRET"]),
 *   budgetMs: 25_000, // below the limit of the platform
 * });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createWorkHandler = (
  options: WorkHandlerOptions,
): ((request: Request) => Promise<Response>) => {
  assertObject(options, "options");
  const { worker, authorize, onError = logError, ...once } = options;
  assertKnownOptions(once, onceOptionNames);
  // Refused here, and not at the first request.
  toProcessOnceSettings(once);
  assertFunction(authorize, "authorize");
  assertFunction(onError, "onError");
  const getWorker = toGetter(worker);
  return async (request) => {
    try {
      if (request.method !== "GET" && request.method !== "POST") {
        return answer(405, { error: "method_not_allowed" }, { allow: "GET, POST" });
      }
      if ((await authorize(request)) !== true) {
        return answer(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" });
      }
      return answer(200, await (await getWorker()).processOnce(once));
    } catch (error) {
      onError(error);
      // The message is for the operator: it may have names of the database.
      return answer(500, { error: error instanceof QueuertError ? error.code : "error" });
    }
  };
};

const logError = (error: unknown): void => console.error("queuert could not run jobs:", error);

/** One worker for all requests. If making it fails, the next request tries again. */
const toGetter = (worker: WorkHandlerOptions["worker"]): (() => Promise<OnceWorker>) => {
  if (hasMethods(worker, ["processOnce"])) return async () => worker as OnceWorker;
  if (typeof worker !== "function") {
    const remedy = "give a worker that is not started, or a function that makes one";
    throw new InvalidOptionError("worker", worker, remedy);
  }
  let making: Promise<OnceWorker> | undefined;
  return () => {
    making ??= Promise.resolve(worker()).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return making;
  };
};

const answer = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
