// The attempts that did not complete a job, the newest first. An error that repeats is told once.
import type { JSX } from "preact";
import type { Attempt, Job } from "../answers/types.ts";
import { duration, firstLine } from "../format.ts";
import { Empty } from "./answer.tsx";
import { At } from "./time.tsx";
import { StatusShape } from "./status.tsx";

export const Attempts = ({
  job,
  attempts,
}: {
  readonly job: Job;
  readonly attempts: readonly Attempt[] | null;
}): JSX.Element => {
  if (attempts === null) return <Empty>This store does not keep attempts.</Empty>;
  if (attempts.length === 0 && job.lastAttemptAt === null) return <Empty>No attempt yet.</Empty>;
  const newestFirst = [...attempts].reverse();
  return (
    <ol class="attempts">
      <Present job={job} />
      {newestFirst.map((attempt, index) => (
        <AttemptRow
          key={attempt.leaseVersion}
          attempt={attempt}
          isAsAbove={newestFirst[index - 1]?.error === attempt.error}
        />
      ))}
    </ol>
  );
};

/** The attempt that completed the job, or is running. The row of the job has it. */
const Present = ({ job }: { readonly job: Job }): JSX.Element | null => {
  const { status, lastAttemptAt, finishedAt, attempt, completedBy, leasedBy } = job;
  if (lastAttemptAt === null || (status !== "completed" && status !== "running")) return null;
  const ranMs = finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(lastAttemptAt);
  return (
    <li class={`attempt tone-${status}`}>
      <span class="attempt-number">#{attempt}</span>
      <StatusShape word={status} />
      <div>
        <p>
          <b>{status}</b>{" "}
          <span class="muted">
            <At at={lastAttemptAt} /> on {completedBy ?? leasedBy ?? "no worker"}
            {ranMs !== null && <>, ran {duration(ranMs)}</>}
          </span>
        </p>
      </div>
    </li>
  );
};

const AttemptRow = ({
  attempt,
  isAsAbove,
}: {
  readonly attempt: Attempt;
  readonly isAsAbove: boolean;
}): JSX.Element => {
  const { outcome, workerId, error } = attempt;
  const startedAt = Date.parse(attempt.startedAt);
  const ran = Math.max(0, Date.parse(attempt.endedAt) - startedAt);
  const waited = Math.max(0, startedAt - Date.parse(attempt.dueAt));
  const tone = outcome === "retried" ? "retrying" : "failed";
  return (
    <li class={`attempt tone-${tone}`}>
      <span class="attempt-number">#{attempt.attempt}</span>
      <StatusShape word="failed" />
      <div>
        <p>
          <b>{outcome.replace("_", " ")}</b>{" "}
          <span class="muted">
            <At at={attempt.startedAt} /> on {workerId}, waited {duration(waited)}, ran{" "}
            {duration(ran)}
            {attempt.nextAt !== null && (
              <>
                , next at <At at={attempt.nextAt} />
              </>
            )}
          </span>
        </p>
        {isAsAbove ? <p class="muted">As above.</p> : <ErrorText text={error} />}
      </div>
    </li>
  );
};

export const ErrorText = ({ text }: { readonly text: string }): JSX.Element => {
  const first = firstLine(text);
  if (first === text) return <p class="error-line">{text}</p>;
  return (
    <details class="error-text">
      <summary>{first}</summary>
      <pre>{text.slice(first.length + 1)}</pre>
    </details>
  );
};
