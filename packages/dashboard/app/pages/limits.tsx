// The limits of job types, with their use; and the keys of one of them.
import type { JSX } from "preact";
import type { OverviewAnswer } from "../../src/api-types.ts";
import { useQuery } from "../answers/query.ts";
import { counted } from "../format.ts";
import { overviewUrl } from "../frame/nav.tsx";
import { Answer, Empty } from "../parts/answer.tsx";
import { BackIcon } from "../parts/icons.tsx";
import { LimitKeys } from "../parts/limit-keys.tsx";
import { LimitsTable } from "../parts/limits-table.tsx";
import { useTitle } from "../parts/use-title.ts";
import { href, route } from "../router.ts";

export const LimitsPage = (): JSX.Element => {
  const name = route.value.subject;
  return name === "" ? <AllLimits /> : <OneLimit name={name} />;
};

const AllLimits = (): JSX.Element => {
  useTitle("Limits");
  const overview = useQuery<OverviewAnswer>(overviewUrl(), 3_000);
  return (
    <>
      <div class="page-head">
        <h1>Limits</h1>
        <span class="muted">{counted(overview.value.data?.limits.length ?? 0, "limit")}</span>
      </div>
      <section class="panel" aria-label="Limits">
        <Answer of={overview}>
          {({ limits }) =>
            limits.length === 0 ? (
              <Empty>No job type has a limit.</Empty>
            ) : (
              <LimitsTable limits={limits} />
            )
          }
        </Answer>
      </section>
    </>
  );
};

const OneLimit = ({ name }: { readonly name: string }): JSX.Element => {
  useTitle(name);
  const overview = useQuery<OverviewAnswer>(overviewUrl(), 3_000);
  return (
    <div class="stack">
      <div class="page-head">
        <a class="back" href={href("limits")}>
          <BackIcon />
          Limits
        </a>
        <h1>{name}</h1>
        <Answer of={overview}>
          {({ types }) =>
            types.some(({ typeName }) => typeName === name) && (
              <a class="tag" href={href("type", name)}>
                job type
              </a>
            )
          }
        </Answer>
      </div>
      <Answer of={overview}>
        {({ limits }) => {
          const own = limits.filter((limit) => limit.name === name);
          return own.length === 0 ? (
            <p class="muted">No bounds are set. Jobs of different keys take turns.</p>
          ) : (
            <section class="panel" aria-label="Limit">
              <LimitsTable limits={own} />
            </section>
          );
        }}
      </Answer>
      <LimitKeys limitName={name} />
    </div>
  );
};
