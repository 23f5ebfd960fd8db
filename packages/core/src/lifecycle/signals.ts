// A signal is a sequence of one job that no worker runs. Its key finds it, and a send completes it. The job is stored as blocked
// without blockers, so no acquisition sees it and no count of due jobs has it. Expected before or after the send, a job that waits
// for it finds it: both find or create the same sequence by its key.
import type {
  CompleteJobsResult,
  CompletionOutcome,
  CompletionResult,
  NewEntryJob,
} from "../adapters/state-adapter-params.ts";
import { requireTransaction, runTransaction } from "../after-commit/open-transactions.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError, JobNotFoundError, LimitExceededError } from "../errors.ts";
import { toPayloadText } from "../job-types/registry.ts";
import { assertElementCount, assertName, assertObject } from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertKey } from "../model/deduplication.ts";
import { toJobSequence } from "../model/sequence.ts";
import type { JsonText, StateJob } from "../model/state-job.ts";
import type { SentSignal } from "../public-types/signals.ts";
import {
  addCompletedEffects,
  addCreatedEffects,
  addUnblockedEffects,
  recordStarts,
} from "./job-effects.ts";
import { currentLineage } from "./new-job.ts";
import { isAutocommit, type StartedSequence } from "./start-sequences.ts";

interface SignalCall {
  readonly own: Readonly<Record<string, unknown>>;
  readonly context: object | undefined;
}

/** Finds the signal of a key, sent or not, or creates it. */
export const expectSignal = async (
  engine: Engine,
  { own, context }: SignalCall,
): Promise<StartedSequence> => {
  const name = toSignalName(engine, own);
  if (isAutocommit({ operation: "expectSignal", context, autocommit: own["autocommit"] })) {
    return runTransaction(engine, (opened) => findOrCreate(engine, opened, name));
  }
  const opened = await requireTransaction(engine, context, "expectSignal", "`autocommit: true`");
  return findOrCreate(engine, opened, name);
};

const findOrCreate = async (
  engine: Engine,
  context: object,
  name: SignalName,
): Promise<StartedSequence> => {
  // Inside `startBlockers` the signal joins the tree of the job that waits for it.
  const lineage = currentLineage();
  const jobs = [toSignalJob(name, lineage)];
  const [created] = await engine.state.createJobs({ context, jobs });
  if (created === undefined) throw new JobNotFoundError(name.key);
  const { job, deduplicated } = created;
  recordStarts(engine, context, [{ job, deduplicated, blockerSequenceIds: [] }], "expectSignal");
  return Object.assign(toJobSequence(engine.codec, { first: job, current: job }), {
    deduplicated,
    replaced: false,
  });
};

/** Completes the signals of these keys. The first send of a key wins, whether or not the signal was expected before. */
export const sendSignals = async (
  engine: Engine,
  { own, context }: SignalCall,
): Promise<readonly SentSignal[]> => {
  const signals = await checkSignals(engine, own["signals"]);
  const call = { operation: "sendSignals", context, autocommit: own["autocommit"] };
  if (isAutocommit(call)) {
    return runTransaction(engine, (opened) => storeSignals(engine, opened, signals));
  }
  const opened = await requireTransaction(engine, context, "sendSignals", "`autocommit: true`");
  return storeSignals(engine, opened, signals);
};

interface CheckedSignal extends SignalName {
  readonly payload: JsonText;
}

const checkSignals = async (engine: Engine, given: unknown): Promise<readonly CheckedSignal[]> => {
  if (!Array.isArray(given)) throw new InvalidOptionError("signals", given, "give an array");
  assertElementCount(given, "signals");
  const checked: CheckedSignal[] = [];
  let characterCount = 0;
  for (const signal of given as Iterable<unknown>) {
    assertObject(signal, "signals");
    assertKnownOptions(signal, ["typeName", "key", "payload"], "signals.");
    const options = signal as Readonly<Record<string, unknown>>;
    const { typeName, key } = toSignalName(engine, options);
    const owner = { typeName, part: "output" } as const;
    const text = await toPayloadText(engine, owner, options["payload"]);
    characterCount += text.length;
    if (characterCount > limits.callCharactersMax) throw tooLargeTogether(characterCount);
    checked.push({ typeName, key, payload: text });
  }
  return checked;
};

const tooLargeTogether = (characterCount: number): LimitExceededError =>
  new LimitExceededError({
    field: "signals",
    limit: limits.callCharactersMax,
    actual: characterCount,
    unit: "characters",
    remedy: "divide the signals among several calls",
  });

/** The keys of each type are its own. */
interface SignalName {
  readonly typeName: string;
  readonly key: string;
}

const toSignalName = (
  { registry }: Engine,
  { typeName, key }: Readonly<Record<string, unknown>>,
): SignalName => {
  assertName(typeName, "typeName");
  registry.assertSignal(typeName, true);
  assertKey(key, "key");
  return { typeName, key };
};

const toSignalJob = (
  { typeName, key }: SignalName,
  lineage: ReturnType<typeof currentLineage>,
): NewEntryJob => ({
  kind: "entry",
  typeName,
  input: "null",
  schedule: null,
  priority: 0,
  awaitsBlockers: true,
  onBlockerFailure: "wait",
  rootSequenceId: lineage?.rootSequenceId ?? null,
  originId: lineage?.originId ?? null,
  deduplication: { key, strategy: "all", windowMs: null },
  traceContext: lineage?.traceContext ?? null,
});

const storeSignals = async (
  engine: Engine,
  context: object,
  signals: readonly CheckedSignal[],
): Promise<readonly SentSignal[]> => {
  // The key of each signal is locked from here on: no other send comes in between.
  const found = await engine.state.createJobs({
    context,
    jobs: signals.map((signal) => toSignalJob(signal, null)),
  });
  // The first element of each key that is not sent yet.
  const seen = new Set<string>();
  const sending = found.flatMap(({ job, deduplicated }, index) => {
    if (seen.has(job.id) || job.finishedAt !== null) return [];
    seen.add(job.id);
    const output = signals[index]?.payload ?? "null";
    return [{ index, job, deduplicated, outcome: { kind: "output" as const, output } }];
  });
  const { results, unblocked } = await engine.state.completeJobs({
    context,
    workerId: null,
    completions: sending.map(({ job, outcome }) => ({
      jobId: job.id,
      leaseVersion: null,
      outcome,
    })),
  });
  const sent = sending.flatMap((one, place) => {
    const result = results[place];
    // It was cancelled or deleted after it was found: nothing of the call is kept.
    if (result?.kind === "lost" && result.reason !== "already_completed") {
      throw new JobNotFoundError(one.job.id);
    }
    return result?.kind === "completed" ? [{ ...one, result }] : [];
  });
  recordSent(engine, context, sent, unblocked);
  const sentPlaces = new Set(sent.map(({ index }) => index));
  return found.map(({ job: { id } }, index) =>
    sentPlaces.has(index) ? { id, sent: true } : { id, sent: false, reason: "already_sent" },
  );
};

interface Sent {
  readonly job: StateJob;
  readonly deduplicated: boolean;
  readonly outcome: Extract<CompletionOutcome, { readonly kind: "output" }>;
  readonly result: Extract<CompletionResult, { readonly kind: "completed" }>;
}

const recordSent = (
  engine: Engine,
  context: object,
  sent: readonly Sent[],
  unblocked: CompleteJobsResult["unblocked"],
): void => {
  const [first] = sent;
  if (first === undefined) return;
  const evidence = {
    operation: "sendSignals",
    jobId: first.job.id,
    jobCount: sent.length,
    isConfirmedBy: (stored: StateJob | undefined): boolean => stored?.status === "completed",
  };
  engine.effects.record(context, evidence, (effects) => {
    addUnblockedEffects(effects, unblocked);
    for (const { job, deduplicated, outcome, result } of sent) {
      if (!deduplicated) addCreatedEffects(effects, job, []);
      addCompletedEffects(effects, job, outcome, result, null);
    }
  });
};
