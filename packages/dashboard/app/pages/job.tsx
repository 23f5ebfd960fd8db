// One job: first why it is where it is, then its sequence, then its attempts and payloads.
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { JobAnswer } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { apiUrl } from "../answers/api.ts";
import { now } from "../answers/clock.ts";
import { useWatched } from "../answers/hints.ts";
import { type QueryState, useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import type { Job } from "../answers/types.ts";
import { shortId } from "../format.ts";
import { useKeys } from "../frame/keys.ts";
import { Lanes } from "../lanes/lanes.tsx";
import { Answer } from "../parts/answer.tsx";
import { Explain } from "../parts/explain.tsx";
import { BackIcon, CancelIcon, LinkIcon, PlayIcon, RetryIcon, TrashIcon } from "../parts/icons.tsx";
import { Id } from "../parts/ids.tsx";
import { JobPanel } from "../parts/job-panel.tsx";
import { Progress } from "../parts/logs.tsx";
import { Status, statusWord } from "../parts/status.tsx";
import { useTitle } from "../parts/use-title.ts";
import { planIds } from "../plan/open-plan.ts";
import { href, route } from "../router.ts";

export const JobPage = (): JSX.Element => {
  const id = route.value.subject;
  const answer = useShown(useQuery<JobAnswer>(apiUrl("job", { id }), 2_000));
  useTitle(answer.value.data?.job.typeName ?? shortId(id));
  useWatched(answer.value.data?.job.sequenceId ?? null);
  return (
    <Answer of={answer}>
      {({ job, links }) => (
        <div class="stack">
          <JobHead job={job} links={links} />
          {job.status !== "completed" && <Progress of={job.progress} />}
          <Explain id={job.id} isFinished={job.finishedAt !== null} />
          <Lanes key={job.rootSequenceId} sequenceId={job.rootSequenceId} jobId={job.id} />
          <JobPanel key={job.id} job={job} attempts={job.attempts} />
        </div>
      )}
    </Answer>
  );
};

/** From one job of a tree to the next: the last one stays until the next is there, so that the tree does not jump. */
const useShown = (
  answer: ReadonlySignal<QueryState<JobAnswer>>,
): ReadonlySignal<QueryState<JobAnswer>> => {
  const shown = useRef(answer);
  if (answer.value.data !== undefined || answer.value.error !== null) shown.current = answer;
  return shown.current;
};

const JobHead = ({
  job,
  links,
}: {
  readonly job: Job;
  readonly links: JobAnswer["links"];
}): JSX.Element => (
  <div class="page-head">
    <a class="back" href={href("sequence", job.sequenceId)}>
      <BackIcon />
      {job.sequenceTypeName}
    </a>
    <h1>{job.typeName}</h1>
    <span class="shown">
      <Id id={job.id} />
    </span>
    <Status word={statusWord(job, now.value)} />
    {links.map(({ label, href: to }) => (
      <a key={to} class="link-out" href={to} target="_blank" rel="noreferrer">
        {label} <LinkIcon />
      </a>
    ))}
    <span class="spring" />
    <JobActions job={job} />
  </div>
);

/** A failed job would not run again. Its sequence can be cancelled, too. */
export const canEnd = ({ status }: Job): boolean =>
  status !== "completed" && status !== "cancelled";

/** Retry and run now are done at once; cancel and delete show a plan first. */
export const JobActions = ({ job }: { readonly job: Job }): JSX.Element => {
  const { id, status } = job;
  const retry = (): void => void act({ action: "retry", id }, "The job is due again.");
  const trigger = (): void => void act({ action: "trigger", id }, "The job is due now.");
  const canRetry = can("retry") && status === "failed";
  const canTrigger =
    can("trigger") && status === "pending" && Date.parse(job.scheduledAt) > now.value;
  useKeys({
    r: () => canRetry && retry(),
    ".": () => canTrigger && trigger(),
  });
  return (
    <div class="buttons">
      {canRetry && (
        <button type="button" class="button" onClick={retry}>
          <RetryIcon /> Retry
        </button>
      )}
      {canTrigger && (
        <button type="button" class="button" onClick={trigger}>
          <PlayIcon /> Run now
        </button>
      )}
      {can("cancel") && canEnd(job) && (
        <button type="button" class="button" onClick={() => planIds("cancel", [id])}>
          <CancelIcon /> Cancel…
        </button>
      )}
      {can("delete") && (
        <button type="button" class="button danger" onClick={() => planIds("delete", [id])}>
          <TrashIcon /> Delete tree…
        </button>
      )}
    </div>
  );
};
