// Jobs as rows: status, times, and why each is where it is.
import type { ComponentChildren, JSX } from "preact";
import { type Chosen, toggle } from "../answers/chosen.ts";
import { now } from "../answers/clock.ts";
import { type ColumnName, shownColumns } from "../answers/columns.ts";
import type { Job } from "../answers/types.ts";
import { duration, firstLine } from "../format.ts";
import { href } from "../router.ts";
import { Id } from "./ids.tsx";
import { Status, statusWord } from "./status.tsx";
import { Ago } from "./time.tsx";

interface JobRowsProps {
  readonly jobs: readonly Job[];
  /** Left out: rows cannot be chosen. */
  readonly chosen?: Chosen;
  /** The row of the keys `j` and `k`. */
  readonly at?: number;
}

export const JobRows = ({ jobs, chosen, at }: JobRowsProps): JSX.Element => (
  <div class="scroll-x">
    <table class="rows job-rows">
      <thead>
        <tr>
          {chosen !== undefined && (
            <th scope="col" class="tick">
              <ChooseAll jobs={jobs} chosen={chosen} />
            </th>
          )}
          <th scope="col">Job</th>
          {shownColumns("jobs").map(([name, label]) => (
            <th key={name} scope="col" class={cells[name][0]}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {jobs.map((job, index) => (
          <JobRow
            key={job.id}
            job={job}
            isAt={index === at}
            {...(chosen !== undefined && { chosen })}
          />
        ))}
      </tbody>
    </table>
  </div>
);

const ChooseAll = ({
  jobs,
  chosen,
}: {
  readonly jobs: readonly Job[];
  readonly chosen: Chosen;
}): JSX.Element => {
  const isAll = jobs.length > 0 && jobs.every(({ id }) => chosen.value.has(id));
  return (
    <input
      type="checkbox"
      aria-label="Choose all rows"
      checked={isAll}
      onChange={() => (chosen.value = new Set(isAll ? [] : jobs.map(({ id }) => id)))}
    />
  );
};

const JobRow = ({
  job,
  chosen,
  isAt,
}: {
  readonly job: Job;
  readonly chosen?: Chosen;
  readonly isAt: boolean;
}): JSX.Element => {
  const isChosen = chosen?.value.has(job.id) ?? false;
  return (
    <tr class={`${isChosen ? "chosen" : ""}${isAt ? " at" : ""}`}>
      {chosen !== undefined && (
        <td class="tick">
          <input
            type="checkbox"
            aria-label={`Choose ${job.typeName} ${job.id}`}
            checked={isChosen}
            onChange={() => toggle(chosen, job.id)}
          />
        </td>
      )}
      <td class="cell-id">
        <Id id={job.id} to={href("job", job.id)} />
      </td>
      {shownColumns("jobs").map(([name]) => {
        const [kind, content] = cells[name];
        return (
          <td key={name} class={`cell-${name} ${kind}`}>
            {content(job)}
          </td>
        );
      })}
    </tr>
  );
};

export const Payload = ({ head }: { readonly head: Job["input"] | null }): JSX.Element => (
  <code class="cut" title={head?.text}>
    {head === null || head.text === "null" ? "–" : head.text}
  </code>
);

const Why = ({ job }: { readonly job: Job }): JSX.Element => (
  <span class="cut" title={whyOf(job)}>
    {whyOf(job)}
  </span>
);

/** The class and the content of each column. */
const cells: Readonly<
  Record<ColumnName<"jobs">, readonly [kind: string, content: (job: Job) => ComponentChildren]>
> = {
  type: ["nowrap", ({ typeName }) => typeName],
  status: ["", (job) => <Status word={statusWord(job, now.value)} />],
  attempt: ["number", ({ attempt }) => (attempt === 0 ? "–" : attempt)],
  created: ["nowrap", ({ createdAt }) => <Ago at={createdAt} />],
  when: ["nowrap", (job) => <When job={job} />],
  priority: ["number", ({ priority }) => priority],
  worker: ["nowrap", ({ leasedBy, completedBy }) => leasedBy ?? completedBy ?? "–"],
  key: ["nowrap", ({ deduplicationKey }) => deduplicationKey ?? "–"],
  why: ["wide", (job) => <Why job={job} />],
  input: ["wide", ({ input }) => <Payload head={input} />],
  output: ["wide", ({ output }) => <Payload head={output} />],
};

/** A failed or retried job is told by its error, all others by the reason of the server. */
export const whyOf = ({ status, error, why }: Job): string =>
  error !== null && (status === "failed" || why.kind === "scheduled")
    ? firstLine(error.text)
    : why.text;

const When = ({ job }: { readonly job: Job }): JSX.Element => {
  const { status, scheduledAt, lastAttemptAt, finishedAt } = job;
  if (finishedAt !== null && lastAttemptAt !== null) {
    const ran = Date.parse(finishedAt) - Date.parse(lastAttemptAt);
    return (
      <>
        <Ago at={finishedAt} /> <span class="muted">ran {duration(Math.max(0, ran))}</span>
      </>
    );
  }
  if (finishedAt !== null) return <Ago at={finishedAt} />;
  if (status === "blocked") return <span class="muted">–</span>;
  if (status === "running" && lastAttemptAt !== null) {
    return <>for {duration(now.value - Date.parse(lastAttemptAt))}</>;
  }
  const isDue = Date.parse(scheduledAt) <= now.value;
  return isDue ? (
    <>for {duration(now.value - Date.parse(scheduledAt))}</>
  ) : (
    <Ago at={scheduledAt} />
  );
};
