// One schedule: its rule, its next ticks, and how the last ones went.
import type { ComponentChildren, JSX } from "preact";
import type { ScheduleAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import { quoted } from "../format.ts";
import { Answer, Empty } from "../parts/answer.tsx";
import { BackIcon, WarnIcon } from "../parts/icons.tsx";
import { Backfill } from "../parts/backfill.tsx";
import { Id } from "../parts/ids.tsx";
import { EditSchedule } from "../parts/edit-schedule.tsx";
import { overlapWords, Rule, type Schedule, ScheduleButtons } from "../parts/schedule-parts.tsx";
import { Ago, InZone } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { href } from "../router.ts";

type Tick = ScheduleAnswer["ticks"][number];

export const OneSchedule = ({ name }: { readonly name: string }): JSX.Element => {
  useTitle(name);
  const answer = useQuery<ScheduleAnswer>(apiUrl("schedule", { name }), 5_000);
  return (
    <div class="stack">
      <div class="page-head">
        <a class="back" href={href("schedules")}>
          <BackIcon />
          Schedules
        </a>
        <h1>{name}</h1>
        <span class="spring" />
        {can("schedule") && (
          <Answer of={answer}>{({ schedule }) => <ScheduleButtons of={schedule} />}</Answer>
        )}
      </div>
      <Answer of={answer}>
        {({ schedule, next, ticks }) => (
          <>
            <Facts of={schedule} />
            <Next of={schedule} next={next} />
            {can("schedule") && <EditSchedule key={schedule.name} of={schedule} />}
            <Last ticks={ticks} />
            {can("schedule") && <Backfill key={`past ${schedule.name}`} of={schedule} />}
          </>
        )}
      </Answer>
    </div>
  );
};

const Facts = ({ of }: { readonly of: Schedule }): JSX.Element => {
  const { typeName, pausedAt, pauseNote, lastError, overlap, isDeclared } = of;
  return (
    <section class="panel" aria-label="Facts">
      <dl class="facts">
        <Fact name="Starts">
          <a class="tag" href={href("type", typeName)}>
            {typeName}
          </a>{" "}
          <a href={href("jobs", "", { q: `seq-type:${quoted(typeName)}`, unit: "sequences" })}>
            its sequences
          </a>
        </Fact>
        <Fact name="Rule">
          <Rule of={of} />
        </Fact>
        <Fact name="If one still runs">{overlapWords[overlap]}</Fact>
        <Fact name="Made">{isDeclared ? "in code" : "at run time"}</Fact>
        <Fact name="Input">
          <code>{of.input.text}</code>
        </Fact>
        {pausedAt !== null && (
          <Fact name="Paused">
            <Ago at={pausedAt} /> {pauseNote !== null && <span class="muted">{pauseNote}</span>}
          </Fact>
        )}
        {lastError !== null && (
          <Fact name="Last firing" tone="tone-failed">
            <WarnIcon /> {lastError}
          </Fact>
        )}
      </dl>
    </section>
  );
};

const Fact = ({
  name,
  tone = "",
  children,
}: {
  readonly name: string;
  readonly tone?: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd class={tone}>{children}</dd>
  </div>
);

const Next = ({
  of,
  next,
}: {
  readonly of: Schedule;
  readonly next: readonly string[];
}): JSX.Element => (
  <section class="panel" aria-labelledby="next-head">
    <header>
      <h2 id="next-head">Next ticks</h2>
      <span class="muted">
        {of.pausedAt === null ? of.timeZone : "left out while it is paused"}
      </span>
    </header>
    {next.length === 0 ? (
      <Empty>No further tick.</Empty>
    ) : (
      <ol class={`ticks${of.pausedAt === null ? "" : " muted"}`}>
        {next.map((at) => (
          <li key={at}>
            <InZone at={at} timeZone={of.timeZone} />{" "}
            <span class="muted">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ol>
    )}
  </section>
);

const tones: Readonly<Record<Tick["outcome"], string>> = {
  started: "good",
  deduplicated: "good",
  buffered: "",
  skipped: "warn",
  missed: "bad",
};

const Last = ({ ticks }: { readonly ticks: readonly Tick[] }): JSX.Element => (
  <section class="panel" aria-labelledby="last-head">
    <header>
      <h2 id="last-head">Last ticks</h2>
    </header>
    {ticks.length === 0 ? (
      <Empty>It has not ticked yet.</Empty>
    ) : (
      <div class="scroll-x">
        <table class="rows cards">
          <thead>
            <tr>
              <th scope="col">Tick</th>
              <th scope="col">Outcome</th>
              <th scope="col">Sequence</th>
              <th scope="col">Caused</th>
            </tr>
          </thead>
          <tbody>
            {ticks.map(({ at, kind, outcome, sequenceId }) => (
              <tr key={`${kind} ${at}`}>
                <td class="nowrap">
                  <Ago at={at} />
                </td>
                <td data-label="outcome" class="nowrap">
                  <span class={`dot ${tones[outcome]}`} aria-hidden="true" /> {outcome}
                </td>
                <td data-label="sequence">
                  {sequenceId === null ? (
                    <span class="muted">–</span>
                  ) : (
                    <Id id={sequenceId} to={href("sequence", sequenceId)} />
                  )}
                </td>
                <td data-label="caused">{causes[kind]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);

const causes: Readonly<Record<Tick["kind"], string>> = {
  scheduled: "by its rule",
  manual: "by hand",
  backfill: "by a backfill",
};
