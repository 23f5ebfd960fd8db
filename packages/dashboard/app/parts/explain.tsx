// Why a job is where it is: one sentence, the path to the root cause, and the remedies.
import type { JSX } from "preact";
import type { ExplainAnswer } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import type { JobRef, Remedy } from "../answers/types.ts";
import { shortId } from "../format.ts";
import { planIds } from "../plan/open-plan.ts";
import { href } from "../router.ts";
import { CopyButton } from "./ids.tsx";
import { Status } from "./status.tsx";
import { Ago } from "./time.tsx";

const verdictWords: Readonly<Record<ExplainAnswer["verdict"], string>> = {
  finished: "Finished",
  running: "Running",
  will_run: "Will run",
  waits: "Waits",
  stuck: "Stuck",
};

/** A finished job is explained once; all others while they change. */
export const Explain = ({
  id,
  isFinished,
}: {
  readonly id: string;
  readonly isFinished: boolean;
}): JSX.Element | null => {
  const answer = useQuery<ExplainAnswer>(
    apiUrl("explain", { id }),
    isFinished ? 15_000 : 3_000,
  ).value;
  const { data } = answer;
  if (data === undefined) return null;
  return (
    <section class={`explain ${toneOf(data)}`} aria-label="Why">
      <p class="headline">
        <b>{wordOf(data)}</b> <span>{headlineOf(data)}</span>
      </p>
      <OtherReasons of={data} />
      {data.rootCause !== null && <RootCause of={data.rootCause} />}
      {data.runsAt.earliest !== null && data.verdict === "waits" && (
        <p class="muted">
          Runs <Ago at={data.runsAt.earliest} /> at the earliest.
        </p>
      )}
      <Remedies of={data} />
      {data.unknown.length > 0 && (
        <p class="muted">This store does not tell: {data.unknown.join(", ")}.</p>
      )}
    </section>
  );
};

/** A finished job is told by its status. */
const wordOf = ({ verdict, status }: ExplainAnswer): string =>
  verdict === "finished" && status !== null
    ? status.charAt(0).toUpperCase() + status.slice(1)
    : verdictWords[verdict];

const toneOf = ({ verdict, status }: ExplainAnswer): string => {
  if (verdict === "stuck" || status === "failed") return "bad";
  if (verdict === "running") return "running";
  return verdict === "finished" && status === "completed" ? "good" : "calm";
};

/** The headline begins with the name of the job, which the page says already. */
const headlineOf = ({ reasons, headline }: ExplainAnswer): string => {
  const text = reasons[0]?.text ?? headline;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const OtherReasons = ({ of }: { readonly of: ExplainAnswer }): JSX.Element | null => {
  const others = of.reasons.slice(1);
  if (others.length === 0) return null;
  return (
    <ul class="reasons">
      {others.map(({ kind, text }) => (
        <li key={kind}>{text}</li>
      ))}
    </ul>
  );
};

const RootCause = ({
  of,
}: {
  readonly of: NonNullable<ExplainAnswer["rootCause"]>;
}): JSX.Element => (
  <ol class="root-cause" aria-label="The path to the root cause">
    {of.path.map((ref, index) => (
      <li key={ref.jobId}>
        <Ref of={ref} />
        {index === of.path.length - 1 && (
          <>
            <span class="tag bad">root cause</span> <span class="muted">{of.reason.text}</span>
          </>
        )}
      </li>
    ))}
  </ol>
);

const Ref = ({ of }: { readonly of: JobRef }): JSX.Element => (
  <>
    <Status word={of.status} />{" "}
    <a href={href("job", of.jobId)}>
      {of.typeName} <span class="mono">{shortId(of.jobId)}</span>
    </a>
  </>
);

const Remedies = ({ of }: { readonly of: ExplainAnswer }): JSX.Element | null => {
  const { remedies, reasons } = of;
  const paused = reasons.find((reason) => reason.kind === "paused");
  if (remedies.length === 0) return null;
  return (
    <ul class="remedies">
      {remedies.map((remedy) => (
        <li key={`${remedy.action} ${remedy.ids.join()}`}>
          {remedy.action === "resume" && paused?.kind === "paused" ? (
            <ResumeButton typeName={paused.jobType} />
          ) : (
            <RemedyButton remedy={remedy} />
          )}
          <span>{remedy.effect}</span>
          {remedy.command !== null && (
            <span class="command shown">
              <code>{remedy.command}</code>
              <CopyButton text={remedy.command} label="Copy the command" />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
};

const ResumeButton = ({ typeName }: { readonly typeName: string | null }): JSX.Element | null => {
  if (!can("pause")) return null;
  const done = `${typeName ?? "Every type"} runs again.`;
  return (
    <button
      type="button"
      class="button main"
      onClick={() => void act({ action: "resume", typeName }, done)}
    >
      Resume
    </button>
  );
};

const RemedyButton = ({ remedy }: { readonly remedy: Remedy }): JSX.Element | null => {
  const { action, ids } = remedy;
  const [id] = ids;
  if (action === "resume" || action === "start_worker" || action === "check_health") return null;
  if (!can(action) || id === undefined) return null;
  const run = (): void => {
    if (action === "cancel" || action === "delete" || ids.length > 1) planIds(action, ids);
    else
      void act(
        { action, id },
        action === "retry" ? "The job is due again." : "The job is due now.",
      );
  };
  const label = { retry: "Retry", trigger: "Run now", cancel: "Cancel…", delete: "Delete…" }[
    action
  ];
  return (
    <button
      type="button"
      class={action === "delete" ? "button danger" : "button main"}
      onClick={run}
    >
      {label}
    </button>
  );
};
