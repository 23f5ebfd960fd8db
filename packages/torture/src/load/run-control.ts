// The process functions of the jobs beside the trees.
import type { LoadSurroundings } from "./run-plan.ts";

interface ControlJob {
  readonly id: string;
  readonly leaseVersion: number;
}

type Complete = (output: unknown) => Promise<never>;

export const runWaiter = async (
  { note, now }: LoadSurroundings,
  {
    job,
    complete,
  }: {
    readonly job: ControlJob & {
      readonly blockers: readonly ({ readonly id: string; readonly output: string } | null)[];
    };
    readonly complete: Complete;
  },
): Promise<never> => {
  const [signal] = job.blockers;
  const payload = signal?.output ?? null;
  const received = { jobId: job.id, leaseVersion: job.leaseVersion, payload };
  note({ kind: "received", at: now(), ...received, sequenceId: signal?.id ?? null });
  return complete({ payload });
};

export const runDebounced = async (
  { sleep }: LoadSurroundings,
  {
    job,
    complete,
  }: { readonly job: { readonly input: { readonly text: string } }; readonly complete: Complete },
): Promise<never> => {
  await sleep(30);
  return complete({ text: job.input.text });
};

export const runTick = async (
  { sleep, note, now }: LoadSurroundings,
  {
    job,
    complete,
  }: {
    readonly job: {
      readonly id: string;
      readonly input: { readonly workMs: number };
      readonly tick: { readonly schedule: string; readonly at: Date; readonly kind: string } | null;
    };
    readonly complete: Complete;
  },
): Promise<never> => {
  if (job.tick === null) throw new Error(`${job.id} was started by no schedule`);
  const { schedule, at, kind } = job.tick;
  const tick = { schedule, tickAt: at.getTime(), isManual: kind === "manual" };
  note({ kind: "ticked", at: now(), jobId: job.id, ...tick });
  await sleep(job.input.workMs);
  return complete(null);
};
