// One type: its numbers, its workers, its failures by cause, and its newest jobs.
import type { JSX } from "preact";
import type {
  FailuresAnswer,
  JobsAnswer,
  OverviewAnswer,
  WorkersAnswer,
} from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { Charts } from "../charts/charts.tsx";
import { useQuery } from "../answers/query.ts";
import { can, has } from "../answers/session.ts";
import type { TypeRow } from "../answers/types.ts";
import { count, duration, quoted } from "../format.ts";
import { overviewUrl } from "../frame/nav.tsx";
import { Answer, Empty } from "../parts/answer.tsx";
import { BackIcon, PauseIcon } from "../parts/icons.tsx";
import { JobRows } from "../parts/job-rows.tsx";
import { LimitsTable } from "../parts/limits-table.tsx";
import { Pauses } from "../parts/pauses.tsx";
import { useTitle } from "../parts/use-title.ts";
import { openPause } from "../plan/open-pause.ts";
import { href, route } from "../router.ts";
import { Groups } from "./failures.tsx";
import { isNotStopped, WorkersTable } from "./workers.tsx";

export const TypePage = (): JSX.Element => {
  const name = route.value.subject;
  useTitle(name);
  const overview = useQuery<OverviewAnswer>(overviewUrl(), 3_000);
  return (
    <div class="stack">
      <div class="page-head">
        <a class="back" href={href("types")}>
          <BackIcon />
          Types
        </a>
        <h1>{name}</h1>
        <span class="spring" />
        <PauseButton name={name} />
      </div>
      <Answer of={overview}>
        {({ types, pauses, limits }) => (
          <>
            <Pauses of={pauses.filter(({ typeName }) => typeName === null || typeName === name)} />
            <LimitOf limits={limits.filter((limit) => limit.name === name)} />
            <Numbers type={types.find(({ typeName }) => typeName === name)} />
          </>
        )}
      </Answer>
      {has("metrics") && <Charts type={name} />}
      {has("workers") && <WorkersOf name={name} />}
      <FailuresOf name={name} />
      <NewestOf name={name} />
    </div>
  );
};

const PauseButton = ({ name }: { readonly name: string }): JSX.Element | null => {
  if (!can("pause")) return null;
  return (
    <button type="button" class="button" onClick={() => (openPause.value = { typeName: name })}>
      <PauseIcon /> Pause…
    </button>
  );
};

const LimitOf = ({ limits }: { readonly limits: OverviewAnswer["limits"] }): JSX.Element | null =>
  limits.length === 0 ? null : (
    <section class="panel" aria-label="Limit">
      <LimitsTable limits={limits} />
    </section>
  );

const Numbers = ({ type }: { readonly type: TypeRow | undefined }): JSX.Element => {
  if (type === undefined) {
    return <p class="muted">No job of this type is open, and no live worker implements it.</p>;
  }
  const { typeName, pending, blocked, running, failed, oldestDueMs, workers } = type;
  const jobs = (status: string): string =>
    href("jobs", "", { q: `status:${status} type:${quoted(typeName)}` });
  const numbers: readonly (readonly [string, number])[] = [
    ["Pending", pending],
    ["Blocked", blocked],
    ["Running", running],
    ["Failed", failed],
  ];
  return (
    <section class="totals" aria-label="Totals">
      {numbers.map(([label, number]) => (
        <a key={label} class="total" href={jobs(label.toLowerCase())}>
          <span>{label}</span>
          <strong class={label === "Failed" && number > 0 ? "tone-failed" : ""}>
            {count(number)}
          </strong>
        </a>
      ))}
      <div class="total">
        <span>Oldest due</span>
        <strong>{oldestDueMs === null ? "–" : duration(oldestDueMs)}</strong>
      </div>
      {workers !== null && (
        <div class="total">
          <span>Workers</span>
          <strong class={workers === 0 ? "tone-failed" : ""}>{workers}</strong>
        </div>
      )}
    </section>
  );
};

const WorkersOf = ({ name }: { readonly name: string }): JSX.Element => {
  const answer = useQuery<WorkersAnswer>(apiUrl("workers"), 5_000);
  return (
    <section class="panel" aria-labelledby="workers-head">
      <header>
        <h2 id="workers-head">Workers</h2>
      </header>
      <Answer of={answer}>
        {({ items }) => {
          const own = items
            .filter(isNotStopped)
            .filter(({ types }) => types.some(({ typeName }) => typeName === name));
          return own.length === 0 ? (
            <Empty>No worker implements this type, or it has stopped.</Empty>
          ) : (
            <WorkersTable workers={own} />
          );
        }}
      </Answer>
    </section>
  );
};

const FailuresOf = ({ name }: { readonly name: string }): JSX.Element | null => {
  const q = `type:${quoted(name)}`;
  const { data } = useQuery<FailuresAnswer>(apiUrl("failures", { q }), 10_000).value;
  if (data === undefined || data.groups.length === 0) return null;
  return (
    <section aria-labelledby="failures-head">
      <h2 id="failures-head" class="section-head">
        Failures
      </h2>
      <Groups groups={data.groups} />
    </section>
  );
};

const NewestOf = ({ name }: { readonly name: string }): JSX.Element => {
  const q = `type:${quoted(name)}`;
  const answer = useQuery<JobsAnswer>(apiUrl("jobs", { q, limit: 20 }), 5_000);
  return (
    <section class="panel" aria-labelledby="newest-head">
      <header>
        <h2 id="newest-head">Newest jobs</h2>
        <a href={href("jobs", "", { q })}>All jobs of this type</a>
      </header>
      <Answer of={answer}>
        {({ items }) =>
          items.length === 0 ? <Empty>No job found.</Empty> : <JobRows jobs={items} />
        }
      </Answer>
    </section>
  );
};
