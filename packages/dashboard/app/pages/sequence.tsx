// A sequence: the tree that it belongs to, and its jobs.
import type { JSX } from "preact";
import type { JobsAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useWatched } from "../answers/hints.ts";
import { useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import type { Job } from "../answers/types.ts";
import { shortId } from "../format.ts";
import { Lanes } from "../lanes/lanes.tsx";
import { Answer, Empty } from "../parts/answer.tsx";
import { CancelIcon, TrashIcon } from "../parts/icons.tsx";
import { Id } from "../parts/ids.tsx";
import { JobRows } from "../parts/job-rows.tsx";
import { Status, statusWord } from "../parts/status.tsx";
import { useTitle } from "../parts/use-title.ts";
import { now } from "../answers/clock.ts";
import { planIds } from "../plan/open-plan.ts";
import { href, route } from "../router.ts";
import { canEnd } from "./job.tsx";

export const SequencePage = (): JSX.Element => {
  const id = route.value.subject;
  const jobs = apiUrl("jobs", { q: `seq:${id}`, order: "asc", limit: 200 });
  const answer = useQuery<JobsAnswer>(jobs, 3_000);
  const items = answer.value.data?.items ?? [];
  useTitle(items[0]?.sequenceTypeName ?? shortId(id));
  useWatched(id);
  return (
    <div class="stack">
      <Head id={id} jobs={items} />
      <Lanes sequenceId={id} jobId={null} whenAlone />
      <section class="panel" aria-labelledby="jobs-head">
        <header>
          <h2 id="jobs-head">Jobs of this sequence</h2>
        </header>
        <Answer of={answer}>
          {(data) =>
            data.items.length === 0 ? (
              <Empty>No job of this sequence was found.</Empty>
            ) : (
              <JobRows jobs={data.items} />
            )
          }
        </Answer>
      </section>
    </div>
  );
};

const Head = ({
  id,
  jobs,
}: {
  readonly id: string;
  readonly jobs: readonly Job[];
}): JSX.Element => {
  const last = jobs.at(-1);
  const root = jobs[0]?.rootSequenceId;
  return (
    <div class="page-head">
      <h1>{jobs[0]?.sequenceTypeName ?? "Sequence"}</h1>
      <span class="shown">
        <Id id={id} />
      </span>
      {last !== undefined && <Status word={statusWord(last, now.value)} />}
      {root !== undefined && root !== id && (
        <span class="muted">
          in the tree of <Id id={root} to={href("sequence", root)} copy={false} />
        </span>
      )}
      <span class="spring" />
      <div class="buttons">
        {can("cancel") && last !== undefined && canEnd(last) && (
          <button type="button" class="button" onClick={() => planIds("cancel", [last.id])}>
            <CancelIcon /> Cancel…
          </button>
        )}
        {can("delete") && last !== undefined && (
          <button type="button" class="button danger" onClick={() => planIds("delete", [last.id])}>
            <TrashIcon /> Delete tree…
          </button>
        )}
      </div>
    </div>
  );
};
