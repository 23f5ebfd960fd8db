// Sequences as rows: how each began, and how it stands.
import type { ComponentChildren, JSX } from "preact";
import { type Chosen, toggle } from "../answers/chosen.ts";
import { now } from "../answers/clock.ts";
import { type ColumnName, shownColumns } from "../answers/columns.ts";
import type { Sequence } from "../answers/types.ts";
import { duration } from "../format.ts";
import { href } from "../router.ts";
import { Id } from "./ids.tsx";
import { Payload, whyOf } from "./job-rows.tsx";
import { Status, statusWord } from "./status.tsx";
import { Ago } from "./time.tsx";

export const SequenceRows = ({
  sequences,
  chosen,
  at,
}: {
  readonly sequences: readonly Sequence[];
  readonly chosen: Chosen;
  readonly at: number;
}): JSX.Element => (
  <div class="scroll-x">
    <table class="rows job-rows">
      <thead>
        <tr>
          <th scope="col" class="tick">
            <span class="sr">Chosen</span>
          </th>
          <th scope="col">Sequence</th>
          {shownColumns("sequences").map(([name, label]) => (
            <th key={name} scope="col" class={cells[name][0]}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sequences.map((sequence, index) => (
          <SequenceRow key={sequence.id} sequence={sequence} chosen={chosen} isAt={index === at} />
        ))}
      </tbody>
    </table>
  </div>
);

const SequenceRow = ({
  sequence,
  chosen,
  isAt,
}: {
  readonly sequence: Sequence;
  readonly chosen: Chosen;
  readonly isAt: boolean;
}): JSX.Element => {
  const { id, typeName, current } = sequence;
  // Plans take jobs: that of a sequence is its current one.
  const isChosen = chosen.value.has(current.id);
  return (
    <tr class={`${isChosen ? "chosen" : ""}${isAt ? " at" : ""}`}>
      <td class="tick">
        <input
          type="checkbox"
          aria-label={`Choose ${typeName} ${id}`}
          checked={isChosen}
          onChange={() => toggle(chosen, current.id)}
        />
      </td>
      <td class="cell-id">
        <Id id={id} to={href("sequence", id)} />
      </td>
      {shownColumns("sequences").map(([name]) => {
        const [kind, content, place = name] = cells[name];
        return (
          <td key={name} class={`cell-${place} ${kind}`}>
            {content(sequence)}
          </td>
        );
      })}
    </tr>
  );
};

const Took = ({ of }: { readonly of: Sequence }): JSX.Element => {
  const { createdAt, finishedAt } = of;
  const end = finishedAt === null ? now.value : Date.parse(finishedAt);
  return <>{duration(Math.max(0, end - Date.parse(createdAt)))}</>;
};

const Now = ({ of: { current, jobCount } }: { readonly of: Sequence }): JSX.Element => (
  <span class="cut" title={whyOf(current)}>
    {jobCount > 1 && <b>{current.typeName}: </b>}
    {whyOf(current)}
  </span>
);

type Cell = readonly [
  kind: string,
  content: (sequence: Sequence) => ComponentChildren,
  /** The column of jobs that has its place on a small screen. */
  place?: string,
];

/** The class and the content of each column. */
const cells: Readonly<Record<ColumnName<"sequences">, Cell>> = {
  type: ["nowrap", ({ typeName }) => typeName],
  status: ["", ({ current }) => <Status word={statusWord(current, now.value)} />],
  jobs: ["number", ({ jobCount }) => jobCount, "attempt"],
  created: ["nowrap", ({ createdAt }) => <Ago at={createdAt} />],
  took: ["nowrap", (sequence) => <Took of={sequence} />, "when"],
  now: ["wide", (sequence) => <Now of={sequence} />, "why"],
  input: ["wide", ({ current }) => <Payload head={current.input} />],
};
