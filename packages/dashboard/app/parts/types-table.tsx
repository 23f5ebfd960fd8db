// The types with their counts. Completed jobs are never counted.
import type { JSX } from "preact";
import type { MetricsAnswer, OverviewAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { has } from "../answers/session.ts";
import type { TypeRow } from "../answers/types.ts";
import { count, duration, quoted, rate } from "../format.ts";
import { href } from "../router.ts";
import { sparkOf } from "../charts/metrics-model.ts";
import { Spark } from "../charts/spark.tsx";
import { Empty } from "./answer.tsx";
import { PauseIcon } from "./icons.tsx";

const Count = ({
  type,
  status,
  number,
  bad = false,
}: {
  readonly type: string;
  readonly status: string;
  readonly number: number;
  readonly bad?: boolean;
}): JSX.Element => (
  <td
    class={`number${bad && number > 0 ? " bad" : ""}${number === 0 ? " zero" : ""}`}
    data-label={status}
  >
    {number === 0 ? (
      "–"
    ) : (
      <a
        class={bad ? "tone-failed" : "plain-link"}
        href={href("jobs", "", { q: `status:${status} type:${quoted(type)}` })}
      >
        {count(number)}
      </a>
    )}
  </td>
);

const Workers = ({ type }: { readonly type: TypeRow }): JSX.Element => {
  const { workers, oldestDueMs } = type;
  if (workers === null) return <td class="number zero">–</td>;
  const isMissing = workers === 0 && oldestDueMs !== null;
  return (
    <td class={`number${isMissing ? " bad" : workers === 0 ? " zero" : ""}`} data-label="online">
      {workers === 0 ? "none" : count(workers)}
    </td>
  );
};

/** Attempts of the last ten minutes, and the course of the last hour. */
const Recent = ({
  type,
  report,
}: {
  readonly type: TypeRow;
  readonly report: MetricsAnswer | undefined;
}): JSX.Element => {
  const { typeName, recent } = type;
  return (
    <>
      <td class={`number${recent === null ? " zero" : ""}`} data-label="done/min">
        {recent === null ? "–" : rate(recent.donePerMinute)}
      </td>
      <td class={`number${recent?.runMs ? "" : " zero"}`} data-label="p95 run">
        {recent?.runMs ? duration(recent.runMs.p95) : "–"}
      </td>
      <td class="spark-cell">
        {report !== undefined && <Spark values={sparkOf(report, typeName)} />}
      </td>
    </>
  );
};

const Row = ({
  type,
  isPaused,
  report,
}: {
  readonly type: TypeRow;
  readonly isPaused: boolean;
  readonly report: MetricsAnswer | undefined;
}): JSX.Element => {
  const { typeName, pending, blocked, running, failed, oldestDueMs } = type;
  return (
    <tr>
      <td class="nowrap">
        <a class="type-link" href={href("type", typeName)}>
          {typeName}
        </a>
        {isPaused && (
          <span class="tag warn">
            <PauseIcon /> paused
          </span>
        )}
      </td>
      <Count type={typeName} status="pending" number={pending} />
      <Count type={typeName} status="blocked" number={blocked} />
      <Count type={typeName} status="running" number={running} />
      <Count type={typeName} status="failed" number={failed} bad />
      <td class={`number${oldestDueMs === null ? " zero" : ""}`} data-label="oldest due">
        {oldestDueMs === null ? "–" : duration(oldestDueMs)}
      </td>
      {has("workers") && <Workers type={type} />}
      {has("metrics") && <Recent type={type} report={report} />}
    </tr>
  );
};

export const TypesTable = ({ overview }: { readonly overview: OverviewAnswer }): JSX.Element => {
  const url = has("metrics") ? apiUrl("metrics", { range: "1h" }) : null;
  const report = useQuery<MetricsAnswer>(url, 15_000).value.data;
  const { types, pauses } = overview;
  if (types.length === 0) return <Empty>No job is open, and no worker has reported.</Empty>;
  const all = pauses.some(({ typeName }) => typeName === null);
  const paused = new Set(pauses.map(({ typeName }) => typeName));
  const numbers = [
    ...["Pending", "Blocked", "Running", "Failed", "Oldest due"],
    ...(has("workers") ? ["Workers"] : []),
    ...(has("metrics") ? ["Done/min", "p95 run"] : []),
  ];
  return (
    <div class="scroll-x">
      <table class="rows type-rows">
        <thead>
          <tr>
            <th scope="col">Type</th>
            {numbers.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
            {has("metrics") && <th scope="col">Last hour</th>}
          </tr>
        </thead>
        <tbody>
          {types.map((type) => (
            <Row
              key={type.typeName}
              type={type}
              isPaused={all || paused.has(type.typeName)}
              report={report}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
};
