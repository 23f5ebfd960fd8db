// Drains of jobs with payloads of a size. Larger payloads have fewer jobs, or the run would measure only the disk.
import type { Case, Round, RoundResult } from "./case.ts";
import { measureDrain } from "./drain.ts";

const bytesAtOnce = 5_000_000;

const sized = (bytes: number, share: number) => ({
  payloadBytes: bytes,
  measure: (round: Round): Promise<RoundResult> => {
    const { sizes } = round;
    const jobCount = Math.ceil(sizes.drainJobs * share);
    const warmUpJobs = Math.ceil(sizes.warmUpJobs * share);
    return measureDrain(
      { ...round, sizes: { ...sizes, warmUpJobs } },
      {
        ...{ workload: "value", jobCount, limitMs: sizes.limitMs },
        atOnce: Math.floor(bytesAtOnce / bytes),
      },
    );
  },
});

export const payloadCases: Readonly<Record<string, Pick<Case, "payloadBytes" | "measure">>> = {
  "payload-100": sized(100, 1),
  "payload-10k": sized(10_000, 1 / 4),
  "payload-200k": sized(200_000, 1 / 20),
};
