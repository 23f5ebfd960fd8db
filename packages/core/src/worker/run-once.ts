// One call of `processOnce` or `drain`, which the client can end.
import { loadOnce } from "../async/load-once.ts";
import type { Engine } from "../engine.ts";
import { EmptyWorkerError } from "../errors.ts";
import type { GivenMiddleware } from "../lifecycle/process-job/processor.ts";
import type { ProcessOnceResult } from "../public-types/process-once.ts";
import type { ProcessOnceSettings } from "./process-once-options.ts";
import { type Implementation, toProcessor } from "./to-processor.ts";

/** The job types and the middleware of a worker. */
export interface Implemented {
  readonly middleware: readonly GivenMiddleware[];
  readonly types: readonly Implementation[];
}

/** The client, which stops its workers when it is closed. */
export interface WorkerOwner {
  /** Throws once the client is closed. */
  assertOpen(): void;
  /** Takes the `stop` of a worker as soon as it begins to start; returns how to forget it. */
  track(stop: () => Promise<void>): () => void;
}

const loadParts = loadOnce(() => import("./process-once.ts"));

/** A client that is closed meanwhile ends the call early, and waits for it. */
export const runOnce = async (
  engine: Engine,
  owner: WorkerOwner,
  { types, middleware }: Implemented,
  settings: ProcessOnceSettings,
): Promise<ProcessOnceResult> => {
  if (types.length === 0) throw new EmptyWorkerError();
  const processors = types.map((type) => toProcessor(type, middleware));
  owner.assertOpen();
  engine.implementedTypes.add(types.map(({ typeName }) => typeName));
  const closing = new AbortController();
  const call = { settings, closing: closing.signal, begunAt: engine.clock.now() };
  const running = loadParts().then(({ processOnce }) => processOnce(engine, processors, call));
  const forget = owner.track(async () => {
    closing.abort();
    await running.catch(() => undefined);
  });
  try {
    return await running;
  } finally {
    forget();
  }
};
