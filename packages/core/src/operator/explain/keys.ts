// Why a due job waits for a limit, or for its key: it is paused, lets no more jobs run, or has too few tokens.
import type { JobKey, JobsAhead } from "../../adapters/operator-reads.ts";
import type { StateLimitKeyState } from "../../adapters/limit-key-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobRef, Reason, ReasonOf } from "../../public-types/explanation.ts";
import { duration } from "../../model/duration-text.ts";
import type { Evidence } from "./evidence.ts";
import { countOf, toRef } from "./words.ts";

/** The key of a job, with its use. */
export interface KeyEvidence {
  readonly key: JobKey;
  readonly use: StateLimitKeyState;
  readonly holders: readonly JobRef[];
}

/** Undefined: the job stands under no key, or the store does not tell. */
export const gatherKey = async (
  { operator, limitKeys, getJobs }: AnyStateAdapter,
  { id }: StateJob,
  context: object | undefined,
): Promise<KeyEvidence | undefined> => {
  const [key] = (await operator?.findKeys?.({ ids: [id] })) ?? [];
  if (key === undefined || limitKeys === undefined) return undefined;
  const [[use], holders] = await Promise.all([
    limitKeys.getLimitKeys({ limitName: key.limitName, keys: [key.key] }),
    getJobs({ context, ids: key.holders }),
  ]);
  return use === undefined
    ? undefined
    : { key, use, holders: holders.flatMap((job) => (job === undefined ? [] : [toRef(job)])) };
};

type KeyReason = ReasonOf<"key_paused"> | ReasonOf<"key_limit_reached">;

/** The reasons of the key that hold, the deciding one first. */
const heldByKey = (
  { key: { limitName: limit, key, cost }, use, holders }: KeyEvidence,
  now: Date,
  ahead: JobsAhead | undefined,
): readonly KeyReason[] => {
  const { pause, running, tokens } = use;
  const { concurrency, rate } = use.effective;
  const named = `Key ${JSON.stringify(key)} of limit ${limit}`;
  const reasons: KeyReason[] = [];
  if (pause !== null) {
    const { until, note } = pause;
    const left = until === null ? "" : ` for ${duration(until.getTime() - now.getTime())} more`;
    const text = `${named} is paused${left}${note === null ? "" : `: ${note}`}.`;
    reasons.push({ kind: "key_paused", limit, key, until, note, text });
  }
  const before = ahead?.ahead ?? 0;
  const first = before === 0 ? "" : `, and ${countOf(before, "due job")} of the key first`;
  const reached = { kind: "key_limit_reached", limit, key, concurrency, running, rate } as const;
  if (concurrency !== null && running + before >= concurrency) {
    const text = `${named} lets ${concurrency} run at once: ${running} do${first}.`;
    reasons.push({ ...reached, bound: "concurrency", holders, tokensInMs: null, text });
  }
  if (rate !== null && tokens !== null) {
    // Each job before it takes one token at least.
    const missing = Math.min(cost, rate.burst) + before - tokens;
    if (missing > 0) {
      const tokensInMs = Math.ceil((missing * rate.perMs) / rate.count);
      const text =
        `${named} lets ${rate.count} start in ${duration(rate.perMs)}${first}. ` +
        `Its tokens are back within ${duration(tokensInMs)}.`;
      reasons.push({ ...reached, bound: "rate", holders, tokensInMs, text });
    }
  }
  return reasons;
};

/** The limit of the type, if it lets no job start now. */
export const limited = (
  typeName: string,
  { limits }: Evidence,
): readonly ReasonOf<"limit_reached">[] => {
  const limit = limits.find(({ name }) => name === typeName);
  if (limit === undefined) return [];
  const { concurrency, running, rate, tokens } = limit;
  const reached = { kind: "limit_reached", limit: typeName, concurrency, running, rate } as const;
  if (concurrency !== null && running >= concurrency) {
    const text = `The limit of ${typeName} lets ${concurrency} run at once, and ${running} do.`;
    return [{ ...reached, bound: "concurrency", text }];
  }
  if (rate === null || (tokens ?? 1) > 0) return [];
  const text = `The limit of ${typeName} lets ${rate.count} start in ${duration(rate.perMs)}, and no token is left.`;
  return [{ ...reached, bound: "rate", text }];
};

/** The limit that types share, and the key itself. */
export const underKey = (
  key: KeyEvidence | undefined,
  evidence: Evidence,
  ahead: JobsAhead | undefined,
): readonly Reason[] =>
  key === undefined
    ? []
    : [...limited(key.key.limitName, evidence), ...heldByKey(key, evidence.now, ahead)];
