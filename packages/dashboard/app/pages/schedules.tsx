// The schedules: when each starts its next sequence, and how its last tick went.
import type { JSX } from "preact";
import type { SchedulesAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import { counted } from "../format.ts";
import { Answer, Empty } from "../parts/answer.tsx";
import { PauseIcon, WarnIcon } from "../parts/icons.tsx";
import { overlapWords, Rule, ScheduleButtons } from "../parts/schedule-parts.tsx";
import { Ago, At } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { href, route } from "../router.ts";
import { OneSchedule } from "./schedule.tsx";

type Schedule = SchedulesAnswer["items"][number];

export const SchedulesPage = (): JSX.Element => {
  const name = route.value.subject;
  return name === "" ? <AllSchedules /> : <OneSchedule name={name} />;
};

const AllSchedules = (): JSX.Element => {
  useTitle("Schedules");
  const answer = useQuery<SchedulesAnswer>(apiUrl("schedules", { limit: 200 }), 10_000);
  return (
    <>
      <div class="page-head">
        <h1>Schedules</h1>
        <Answer of={answer}>
          {({ items, nextCursor }) => (
            <span class="muted">
              {counted(items.length, "schedule")}
              {nextCursor !== null && ", the first of them are shown"}
            </span>
          )}
        </Answer>
      </div>
      <section class="panel" aria-label="Schedules">
        <Answer of={answer}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty>There is no schedule.</Empty>
            ) : (
              <SchedulesTable schedules={items} />
            )
          }
        </Answer>
      </section>
    </>
  );
};

const SchedulesTable = ({
  schedules,
}: {
  readonly schedules: readonly Schedule[];
}): JSX.Element => (
  <div class="scroll-x">
    <table class="rows cards">
      <thead>
        <tr>
          <th scope="col">Schedule</th>
          <th scope="col">Type</th>
          <th scope="col">Rule</th>
          <th scope="col">Next</th>
          <th scope="col">Last</th>
          <th scope="col">If it still runs</th>
          <th scope="col">
            <span class="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {schedules.map((schedule) => (
          <ScheduleRow key={schedule.name} schedule={schedule} />
        ))}
      </tbody>
    </table>
  </div>
);

const ScheduleRow = ({ schedule }: { readonly schedule: Schedule }): JSX.Element => {
  const { name, typeName, nextAt, lastTickAt, lastError } = schedule;
  return (
    <tr>
      <td>
        <a class="type-link" href={href("schedules", name)}>
          {name}
        </a>
        {!schedule.isDeclared && <span class="tag">made at run time</span>}
        {lastError !== null && (
          <p class="schedule-error tone-failed">
            <WarnIcon /> {lastError}
          </p>
        )}
      </td>
      <td data-label="type">
        <a class="tag" href={href("type", typeName)}>
          {typeName}
        </a>
      </td>
      <td data-label="rule" class="nowrap">
        <Rule of={schedule} />
      </td>
      <td data-label="next" class="nowrap">
        <Next schedule={schedule} />
        {nextAt !== null && schedule.pausedAt === null && (
          <span class="muted">
            {" "}
            <At at={nextAt} />
          </span>
        )}
      </td>
      <td data-label="last" class="nowrap">
        {lastTickAt === null ? <span class="muted">never</span> : <Ago at={lastTickAt} />}
      </td>
      <td data-label="if it runs">{overlapWords[schedule.overlap]}</td>
      <td>{can("schedule") && <ScheduleButtons of={schedule} />}</td>
    </tr>
  );
};

const Next = ({ schedule }: { readonly schedule: Schedule }): JSX.Element => {
  const { pausedAt, pauseNote, nextAt } = schedule;
  if (pausedAt !== null) {
    return (
      <span class="tag warn" title={pauseNote ?? ""}>
        <PauseIcon /> paused <Ago at={pausedAt} />
      </span>
    );
  }
  return nextAt === null ? <span class="muted">no further tick</span> : <Ago at={nextAt} />;
};
