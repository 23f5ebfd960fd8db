// Activity: the plans that were applied, and the controls, with their users.
import type { JSX } from "preact";
import type { ActionsAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { count, counted } from "../format.ts";
import { Answer, Empty } from "../parts/answer.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Ago } from "../parts/time.tsx";
import { href } from "../router.ts";

type Action = ActionsAnswer["items"][number];

export const ActivityPage = (): JSX.Element => {
  useTitle("Activity");
  const answer = useQuery<ActionsAnswer>(apiUrl("actions", { limit: 200 }), 10_000);
  return (
    <>
      <div class="page-head">
        <h1>Activity</h1>
        <span class="muted">By people and programs, within the last 90 days</span>
      </div>
      <section class="panel" aria-label="Activity">
        <Answer of={answer}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty>Nothing was changed by hand yet.</Empty>
            ) : (
              <Actions items={items} />
            )
          }
        </Answer>
      </section>
    </>
  );
};

const Actions = ({ items }: { readonly items: readonly Action[] }): JSX.Element => (
  <div class="scroll-x">
    <table class="rows cards">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">User</th>
          <th scope="col">Action</th>
          <th scope="col">Count</th>
          <th scope="col">Result</th>
          <th scope="col">Target</th>
        </tr>
      </thead>
      <tbody>
        {items.map((action) => (
          <tr key={action.id}>
            <td data-label="when" class="nowrap">
              <Ago at={action.startedAt} />
            </td>
            <td data-label="user">{action.user ?? <span class="muted">not named</span>}</td>
            <td data-label="action">{action.action.replace("_", " ")}</td>
            <td data-label="count">{count(action.count)}</td>
            <td data-label="result" class="nowrap">
              <Result of={action} />
            </td>
            <td data-label="target">
              <Target of={action} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A schedule is not found by a filter of jobs. */
const Target = ({
  of: { action, filter, count: number },
}: {
  readonly of: Action;
}): JSX.Element => {
  if (filter === null) {
    const isControl = action === "pause" || action === "resume";
    return (
      <span class="muted">{isControl ? "every type" : `${counted(number, "job")} by id`}</span>
    );
  }
  const [, quotedName] = /^schedule:("(?:[^"\\]|\\.)*")/s.exec(filter) ?? [];
  const to =
    quotedName === undefined
      ? href("jobs", "", { q: filter })
      : href("schedules", quotedName.slice(1, -1).replaceAll(/\\(.)/g, "$1"));
  return (
    <a href={to}>
      <code>{filter}</code>
    </a>
  );
};

const Result = ({ of }: { readonly of: Action }): JSX.Element => {
  if (of.finishedAt === null) return <span class="muted">under way, or its process has ended</span>;
  return (
    <>
      {count(of.done)} done
      {of.refused > 0 && <span class="tone-failed">, {count(of.refused)} refused</span>}
    </>
  );
};
