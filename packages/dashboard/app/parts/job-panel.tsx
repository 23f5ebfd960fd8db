// One job: its facts, attempts and payloads.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { can, has } from "../answers/session.ts";
import type { Attempt, Job } from "../answers/types.ts";
import { counted } from "../format.ts";
import { href } from "../router.ts";
import { Attempts, ErrorText } from "./attempts.tsx";
import { Id } from "./ids.tsx";
import { Logs } from "./logs.tsx";
import { Payload } from "./payload.tsx";
import { Ago, At } from "./time.tsx";

type TabName = "attempts" | "input" | "output" | "logs" | "facts";

export const JobPanel = ({
  job,
  attempts,
}: {
  readonly job: Job;
  readonly attempts: readonly Attempt[] | null;
}): JSX.Element => {
  const tab = useSignal<TabName>(attempts === null || attempts.length === 0 ? "input" : "attempts");
  return (
    <section class="panel" aria-label="The job">
      <Tabs tab={tab} attempts={attempts} />
      <div
        id={`panel-${tab.value}`}
        class="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tab.value}`}
        tabIndex={0}
      >
        {tab.value === "attempts" && (
          <>
            {attempts === null && job.error !== null && <ErrorText text={job.error.text} />}
            <Attempts job={job} attempts={attempts} />
          </>
        )}
        {tab.value === "input" && <Payload key={job.id} job={job} field="input" />}
        {tab.value === "output" && <Payload key={job.id} job={job} field="output" />}
        {tab.value === "logs" && <Logs id={job.id} isRunning={job.status === "running"} />}
        {tab.value === "facts" && <Facts job={job} />}
      </div>
    </section>
  );
};

const Tabs = ({
  tab,
  attempts,
}: {
  readonly tab: Signal<TabName>;
  readonly attempts: readonly Attempt[] | null;
}): JSX.Element => {
  const names: readonly (readonly [TabName, string])[] = [
    ["attempts", attempts === null ? "Attempts" : `Attempts ${attempts.length || ""}`],
    ["input", "Input"],
    ["output", "Output"],
    ...(has("logs") && can("logs") ? ([["logs", "Logs"]] as const) : []),
    ["facts", "Facts"],
  ];
  const press = (event: KeyboardEvent): void => {
    const at = names.findIndex(([name]) => name === tab.peek());
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = names[(at + step + names.length) % names.length];
    if (step === 0 || next === undefined) return;
    tab.value = next[0];
    document.querySelector<HTMLElement>(`#tab-${next[0]}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the job">
      {names.map(([name, label]) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={tab.value === name}
          aria-controls={`panel-${tab.value}`}
          tabIndex={tab.value === name ? 0 : -1}
          onClick={() => (tab.value = name)}
          onKeyDown={press}
        >
          {label}
        </button>
      ))}
    </div>
  );
};

const Facts = ({ job }: { readonly job: Job }): JSX.Element => (
  <dl class="facts">
    <Fact name="Id">
      <Id id={job.id} />
    </Fact>
    <Fact name="Sequence">
      <Id id={job.sequenceId} to={href("sequence", job.sequenceId)} />
      <div class="muted">
        {job.sequenceTypeName}, position {job.position}
      </div>
    </Fact>
    <Fact name="Root">
      <Id id={job.rootSequenceId} to={href("sequence", job.rootSequenceId)} />
    </Fact>
    {job.originId !== null && (
      <Fact name="Started by">
        <Id id={job.originId} to={href("job", job.originId)} />
      </Fact>
    )}
    {job.continuedToId !== null && (
      <Fact name="Continued to">
        <Id id={job.continuedToId} to={href("job", job.continuedToId)} />
      </Fact>
    )}
    <Fact name="Created">
      <At at={job.createdAt} />{" "}
      <span class="muted">
        <Ago at={job.createdAt} />
      </span>
    </Fact>
    <Fact name="Due">
      <At at={job.scheduledAt} />
    </Fact>
    {job.lastAttemptAt !== null && (
      <Fact name="Last attempt">
        <At at={job.lastAttemptAt} />
      </Fact>
    )}
    {job.finishedAt !== null && (
      <Fact name="Finished">
        <At at={job.finishedAt} />
        {job.completedBy !== null && <> by {job.completedBy}</>}
      </Fact>
    )}
    {job.leasedBy !== null && (
      <Fact name="Lease">
        {job.leasedBy}
        {job.leasedUntil !== null && (
          <>
            , until <At at={job.leasedUntil} />
          </>
        )}
      </Fact>
    )}
    <Fact name="Priority">{job.priority}</Fact>
    <Fact name="Attempts">{counted(job.attempt, "attempt")}</Fact>
    {job.deduplicationKey !== null && (
      <Fact name="Deduplication key">
        <code>{job.deduplicationKey}</code>
      </Fact>
    )}
  </dl>
);

const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
