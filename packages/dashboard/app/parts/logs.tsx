// The lines that the last attempts of a job logged, and its progress. Both are kept up to date while the job runs.
import type { JSX } from "preact";
import type { JobAnswer, LogsAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { Answer, Empty } from "./answer.tsx";
import { Ago, At } from "./time.tsx";

type Line = LogsAnswer["lines"][number];

export const Logs = ({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }) => {
  const answer = useQuery<LogsAnswer>(apiUrl("logs", { id }), isRunning ? 1_000 : 5_000);
  return (
    <Answer of={answer}>
      {({ lines }) =>
        lines.length === 0 ? (
          <Empty>No line is kept: nothing was logged, or the attempt completed.</Empty>
        ) : (
          <ol class="logs">
            {lines.map((line, index) => (
              <LogRow
                key={`${line.leaseVersion} ${line.number}`}
                line={line}
                before={lines[index - 1]}
              />
            ))}
          </ol>
        )
      }
    </Answer>
  );
};

const LogRow = ({
  line,
  before,
}: {
  readonly line: Line;
  readonly before: Line | undefined;
}): JSX.Element => {
  const isSame = before?.leaseVersion === line.leaseVersion;
  const leftOut = line.number - (isSame ? before.number + 1 : 0);
  return (
    <>
      {!isSame && <li class="log-note">Attempt {line.attempt}</li>}
      {leftOut > 0 && <li class="log-note">… {leftOut} lines left out</li>}
      <li class={`log log-${line.level}`}>
        <span class="muted">
          <At at={line.at} />
        </span>{" "}
        <b>{line.level}</b> {line.message}
        {line.data !== null && <code>{line.data}</code>}
      </li>
    </>
  );
};

/** How far the newest attempt says that it is. */
export const Progress = ({
  of,
}: {
  readonly of: JobAnswer["job"]["progress"];
}): JSX.Element | null => {
  if (of === null) return null;
  const percent = of.fraction === null ? null : Math.round(of.fraction * 100);
  return (
    <div class="progress">
      {percent !== null && (
        <div class="bar" role="progressbar" aria-label="Progress" aria-valuenow={percent}>
          <i style={{ width: `${percent}%` }} />
        </div>
      )}
      <span>
        {percent !== null && `${percent} % `}
        {of.note}{" "}
        <span class="muted">
          <Ago at={of.at} />
        </span>
      </span>
    </div>
  );
};
