// Failures: an inbox by cause. A cause is a type with the first line of its errors, with ids and numbers left out.
import type { JSX } from "preact";
import type { FailuresAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import type { Failure } from "../answers/types.ts";
import { count, counted } from "../format.ts";
import { Answer } from "../parts/answer.tsx";
import { explainedId } from "../parts/explain-dialog.tsx";
import { CheckIcon, RetryIcon, TrashIcon } from "../parts/icons.tsx";
import { useListKeys } from "../parts/list-parts.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { planFilter } from "../plan/open-plan.ts";
import { href, navigate, route, setParams } from "../router.ts";

const ranges: readonly (readonly [string, string])[] = [
  ["All", ""],
  ["15 min", "15m"],
  ["1 h", "1h"],
  ["24 h", "1d"],
  ["7 d", "7d"],
];

export const FailuresPage = (): JSX.Element => {
  useTitle("Failures");
  const range = route.value.params.get("range") ?? "";
  const q = range === "" ? "" : `finished-since:${range}`;
  const answer = useQuery<FailuresAnswer>(apiUrl("failures", { q }), 10_000);
  return (
    <>
      <div class="page-head">
        <h1>Failures</h1>
        <Answer of={answer}>
          {(data) => (
            <span class="muted">
              {counted(data.count, "failed job")} in {counted(data.groups.length, "group")}
              {data.isAtLeast && ", of the newest that were looked at"}
            </span>
          )}
        </Answer>
        <span class="spring" />
        <div class="segments" role="group" aria-label="Failed within">
          {ranges.map(([label, value]) => (
            <button
              key={value}
              type="button"
              aria-pressed={range === value}
              onClick={() => setParams({ range: value })}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      <Answer of={answer}>{(data) => <KeyedGroups groups={data.groups} />}</Answer>
    </>
  );
};

/** The inbox with its keys. */
const KeyedGroups = ({ groups }: { readonly groups: readonly Failure[] }): JSX.Element => {
  const at = useListKeys(() => groups, {
    Enter: ({ filter }) => navigate(href("jobs", "", { q: filter })),
    e: ({ sampleId }) => (explainedId.value = sampleId),
    r: ({ filter }) => {
      if (can("retry")) planFilter("retry", filter);
    },
  });
  return <Groups groups={groups} at={at} />;
};

export const Groups = ({
  groups,
  at,
}: {
  readonly groups: readonly Failure[];
  /** The group of the keys `j` and `k`. */
  readonly at?: number;
}): JSX.Element => {
  if (groups.length === 0) {
    return (
      <p class="all-well">
        <CheckIcon /> No job has failed.
      </p>
    );
  }
  const most = Math.max(...groups.map((group) => group.count));
  return (
    <ul class="panel groups">
      {groups.map((group, index) => (
        <Group
          key={`${group.typeName} ${group.cause}`}
          group={group}
          share={group.count / most}
          isAt={index === at}
        />
      ))}
    </ul>
  );
};

const Group = ({
  group,
  share,
  isAt,
}: {
  readonly group: Failure;
  readonly share: number;
  readonly isAt: boolean;
}): JSX.Element => (
  <li class={isAt ? "group at" : "group"}>
    <div class="group-text">
      <p>
        <a class="type-link" href={href("type", group.typeName)}>
          {group.typeName}
        </a>{" "}
        <span class="muted">
          first <Ago at={group.firstAt} />, last <Ago at={group.lastAt} />
        </span>
      </p>
      <p class="cause" title={group.cause}>
        {group.cause === "" ? "No error text" : group.cause}
      </p>
      <div class="buttons">
        <a class="button" href={href("job", group.sampleId)}>
          Show one
        </a>
        <a class="button" href={href("jobs", "", { q: group.filter })}>
          Show jobs
        </a>
        {can("retry") && (
          <button type="button" class="button" onClick={() => planFilter("retry", group.filter)}>
            <RetryIcon /> Retry…
          </button>
        )}
        {can("delete") && (
          <button
            type="button"
            class="button danger"
            onClick={() => planFilter("delete", group.filter)}
          >
            <TrashIcon /> Delete…
          </button>
        )}
      </div>
    </div>
    <div class="group-count">
      <strong>{count(group.count)}</strong>
      <div class="bar failed" aria-hidden="true">
        <i style={{ width: `${Math.max(2, share * 100)}%` }} />
      </div>
    </div>
  </li>
);
