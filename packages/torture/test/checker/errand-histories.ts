// Errands as the checker reads them.
import type { ControlEntry } from "../../src/checker/control-history.ts";
import type { ErrandOutcome } from "../../src/checker/errand-history.ts";
import type { Errand } from "../../src/load/errand-types.ts";
import { aJob, instant, type JobOverride } from "./histories.ts";

export const anErrand = (id: string, errand: Partial<Errand> = {}, job: JobOverride = {}) =>
  aJob(id, {
    ...{ typeName: "errand", output: JSON.stringify({ name: id }) },
    input: JSON.stringify({
      ...{ name: id, key: "k0", cost: 1, workMs: 0, failTimes: 0 },
      ...{ reschedules: 0, writesRow: false, next: null },
      ...errand,
    }),
    ...job,
  });

interface Ran {
  readonly typeName?: string;
  readonly at?: number;
  readonly leaseVersion?: number;
  readonly outcome?: ErrandOutcome;
}

/** A call of a process function with these jobs, taken at the time. */
export const ranErrands = (
  ids: readonly string[],
  { typeName = "errand", at = 0, leaseVersion = 1, outcome = "output" }: Ran = {},
): readonly ControlEntry[] => {
  const call = `${ids.join()}/${leaseVersion}`;
  const attempts = ids.map((jobId) => ({
    ...{ jobId, leaseVersion, acquiredAt: instant(at), scheduledAt: instant(0) },
  }));
  return [
    { kind: "errandsBegan", at: instant(at), process: "w", call, typeName, attempts },
    { kind: "errandsEnded", at: instant(at), call, outcomes: ids.map(() => outcome) },
  ];
};
