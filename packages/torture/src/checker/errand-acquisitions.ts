import { tenants } from "../load/errand-types.ts";
import { errandOf } from "./errand-history.ts";
import { entriesOf, type History } from "./history.ts";

/** An acquisition of an errand, by the store's clock. */
export interface ErrandAcquisition {
  readonly jobId: string;
  readonly typeName: string;
  readonly leaseVersion: number;
  /** Of the limit that both types under keys share; null for a type without keys. */
  readonly key: string | null;
  readonly cost: number;
  readonly at: number;
}

/** Every acquisition of an errand that is known: from the store, from watching it, and from process functions. */
export const errandAcquisitions = (history: History): readonly ErrandAcquisition[] => {
  const jobs = new Map(history.control.jobs.map((job) => [job.id, job]));
  const seen = new Map<string, ErrandAcquisition>();
  const add = (jobId: string, leaseVersion: number, at: number | undefined): void => {
    const job = jobs.get(jobId);
    if (job === undefined || at === undefined) return;
    const { typeName } = job;
    const isKeyed = typeName === "errand" || typeName === "courier";
    if (!isKeyed && typeName !== "bulk") return;
    const { key, cost } = errandOf(job);
    const errand = { jobId, typeName, leaseVersion, cost, at, key: isKeyed ? key : null };
    seen.set(`${jobId}/${leaseVersion}`, errand);
  };
  for (const job of jobs.values()) {
    add(job.id, job.leaseVersion, job.lastAttemptAt?.getTime());
  }
  for (const { jobId, leaseVersion, acquiredAt } of history.leases) {
    add(jobId, leaseVersion, acquiredAt);
  }
  for (const { attempts } of entriesOf(history, "errandsBegan")) {
    for (const { jobId, leaseVersion, acquiredAt } of attempts)
      add(jobId, leaseVersion, acquiredAt);
  }
  return [...seen.values()].toSorted((one, other) => one.at - other.at);
};

/** Of the types under keys. */
export const keyedAcquisitions = (
  history: History,
): readonly (ErrandAcquisition & { readonly key: string; readonly limit: string })[] =>
  errandAcquisitions(history).flatMap((one) =>
    one.key === null ? [] : [{ ...one, key: one.key, limit: tenants }],
  );
