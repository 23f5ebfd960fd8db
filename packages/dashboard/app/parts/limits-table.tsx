// The limits of job types, with their use.
import type { JSX } from "preact";
import type { OverviewAnswer } from "../../src/api-types.ts";
import { has } from "../answers/session.ts";
import { count, duration, quoted } from "../format.ts";
import { href } from "../router.ts";
import { Ago } from "./time.tsx";

export type Limit = OverviewAnswer["limits"][number];

export const LimitsTable = ({ limits }: { readonly limits: readonly Limit[] }): JSX.Element => (
  <div class="scroll-x">
    <table class="rows cards">
      <thead>
        <tr>
          <th scope="col">Limit</th>
          <th scope="col">At once</th>
          <th scope="col">Rate</th>
          {has("limitKeys") && <th scope="col">Each key</th>}
          <th scope="col">May start now</th>
          <th scope="col">Set</th>
        </tr>
      </thead>
      <tbody>
        {limits.map((limit) => (
          <LimitRow key={limit.name} limit={limit} />
        ))}
      </tbody>
    </table>
  </div>
);

const LimitRow = ({ limit }: { readonly limit: Limit }): JSX.Element => {
  const { name, concurrency, rate, perKey, running, tokens, isDeclared, updatedAt } = limit;
  return (
    <tr>
      <td class="nowrap">
        <a class="type-link" href={has("limitKeys") ? href("limits", name) : href("type", name)}>
          {name}
        </a>
      </td>
      <td data-label="at once" class="nowrap">
        <a
          class="slots plain-link"
          href={href("jobs", "", { q: `status:running type:${quoted(name)}` })}
        >
          {concurrency !== null && <Use used={running} of={concurrency} />}
          {count(running)}
          {concurrency === null ? " running" : ` of ${count(concurrency)}`}
        </a>
      </td>
      <td data-label="rate">
        {rate === null ? (
          <span class="muted">–</span>
        ) : (
          <>
            {rateText(rate)} <span class="muted nowrap">{count(rate.burst)} in a burst</span>
          </>
        )}
      </td>
      {has("limitKeys") && (
        <td data-label="each key" class="nowrap">
          <a class="plain-link" href={href("limits", name)}>
            {perKey === null ? "–" : boundsText(perKey)}
          </a>
        </td>
      )}
      <td data-label="may start" class="nowrap">
        {tokens === null ? <span class="muted">–</span> : count(Math.floor(tokens))}
      </td>
      <td data-label="set">
        <Ago at={updatedAt} />{" "}
        <span class="muted nowrap">{isDeclared ? "in code" : "at run time"}</span>
      </td>
    </tr>
  );
};

interface Rate {
  readonly count: number;
  readonly perMs: number;
}

interface Bounds {
  readonly concurrency: number | null;
  readonly rate: Rate | null;
}

/** `100 in 1 min` */
export const rateText = ({ count: starts, perMs }: Rate): string =>
  `${count(starts)} in ${duration(perMs)}`;

/** `5 at once, 100 in 1 min` */
export const boundsText = ({ concurrency, rate }: Bounds): string => {
  const bounds = [
    ...(concurrency === null ? [] : [`${count(concurrency)} at once`]),
    ...(rate === null ? [] : [rateText(rate)]),
  ];
  return bounds.length === 0 ? "no bound" : bounds.join(", ");
};

export const Use = ({ used, of }: { readonly used: number; readonly of: number }): JSX.Element => (
  <span class="bar" aria-hidden="true">
    <i style={{ width: `${of === 0 ? 100 : Math.min(100, (used / of) * 100)}%` }} />
  </span>
);
