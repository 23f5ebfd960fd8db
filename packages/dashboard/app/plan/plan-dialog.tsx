// A plan: the jobs that would be changed, and those that would be refused, with reasons. Nothing is written before it is
// confirmed.
import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { PlanAnswer } from "../../src/api-types.ts";
import { ApiError, post } from "../answers/api.ts";
import { now } from "../answers/clock.ts";
import { session } from "../answers/session.ts";
import { count, counted, duration, shortId, zonedInstant } from "../format.ts";
import { Problem } from "../parts/answer.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Instants } from "../parts/instants.tsx";
import { StatusShape } from "../parts/status.tsx";
import { Application } from "./application.tsx";
import { actionLabels, openPlan, type PlanTarget } from "./open-plan.ts";
import { PaceField } from "./pace-field.tsx";
import { PlanRun } from "./plan-run.ts";

export const PlanDialog = (): JSX.Element | null => {
  const target = openPlan.value;
  if (target === null) return null;
  return <OpenPlan key={JSON.stringify(target)} of={target} />;
};

type Action = PlanAnswer["action"];

const verbs: Readonly<Record<Action, string>> = { ...actionLabels, backfill: "Start" };

/** The things that the number of a plan counts. */
const units: Readonly<Record<Action, string>> = {
  retry: "job",
  trigger: "job",
  cancel: "sequence",
  delete: "tree",
  backfill: "tick",
};

const OpenPlan = ({ of }: { readonly of: PlanTarget }): JSX.Element => {
  const plan = useSignal<PlanAnswer | null>(null);
  const error = useSignal<ApiError | null>(null);
  const run = useMemo(() => new PlanRun(), []);
  useEffect(() => {
    const request = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const response = await post("plans", of.request, request.signal);
        plan.value = (await response.json()) as PlanAnswer;
      } catch (reason) {
        if (request.signal.aborted) return;
        if (!(reason instanceof ApiError)) throw reason;
        error.value = reason;
      }
    };
    void ask();
    return () => request.abort();
  }, []);
  const made = plan.value;
  const title =
    made === null
      ? `${verbs[of.request.action]}: looking…`
      : `${verbs[made.action]} ${counted(made.count, units[made.action])}${made.isAtLeast ? " or more" : ""}`;
  return (
    <Dialog title={title} onClose={() => (openPlan.value = null)}>
      {error.value !== null && (
        <div class="dialog-body">
          <Problem error={error.value} />
        </div>
      )}
      {made === null && error.value === null && (
        <p class="dialog-body muted" role="status">
          The server looks for the jobs, and for the consequences. Nothing is changed yet.
        </p>
      )}
      {made !== null && run.state.value === null && (
        <Proposal plan={made} timeZone={of.timeZone} run={run} />
      )}
      {made !== null && run.state.value !== null && (
        <Application
          state={run.state.value}
          unit={units[made.action]}
          timeZone={of.timeZone}
          onStop={() => run.stop()}
        />
      )}
    </Dialog>
  );
};

const Proposal = ({
  plan,
  timeZone = "UTC",
  run,
}: {
  readonly plan: PlanAnswer;
  readonly timeZone: string | undefined;
  readonly run: Pick<PlanRun, "start">;
}): JSX.Element => {
  const typed = useSignal("");
  const pace = useSignal<number | null>(null);
  const { action, confirm } = plan;
  const isConfirmed =
    confirm === "button" || typed.value.replaceAll(/\D/g, "") === String(plan.count);
  const leftMs = Date.parse(plan.expiresAt) - now.value;
  const isDangerous = action === "delete" || action === "cancel";
  return (
    <form
      method="dialog"
      onSubmit={(event) => {
        event.preventDefault();
        if (isConfirmed) void run.start(plan, pace.value);
      }}
    >
      <div class="dialog-body plan">
        {session.value?.environment !== null && (
          <p class="muted">
            In <b>{session.value?.environment}</b>.
          </p>
        )}
        <Target plan={plan} />
        {plan.consequences.length > 0 && (
          <ul class="consequences">
            {plan.consequences.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        {plan.action === "backfill" && <Instants of={plan.instants} timeZone={timeZone} />}
        <Refused plan={plan} timeZone={timeZone} />
        <Sample plan={plan} />
        {plan.count > 1 && <PaceField plan={plan} pace={pace} />}
        {confirm === "count" && plan.count > 0 && <ConfirmCount plan={plan} typed={typed} />}
      </div>
      <footer class="dialog-foot">
        <span class="muted expires">
          {leftMs > 0
            ? `This plan expires in ${duration(Math.ceil(leftMs / 1_000) * 1_000)}.`
            : "This plan has expired."}
        </span>
        <button type="button" class="button" onClick={() => (openPlan.value = null)}>
          Close
        </button>
        <button
          type="submit"
          class={`button main${isDangerous ? " danger" : ""}`}
          disabled={plan.count === 0 || !isConfirmed || leftMs <= 0}
        >
          {verbs[action]} {count(plan.count)}
        </button>
      </footer>
    </form>
  );
};

const Target = ({ plan }: { readonly plan: PlanAnswer }): JSX.Element | null =>
  plan.filter === null ? null : (
    <p>
      <code class="filter-text">{plan.filter}</code>
      {plan.action !== "backfill" && (
        <span class="muted"> Jobs that are created from now on are left out.</span>
      )}
    </p>
  );

const ConfirmCount = ({
  plan,
  typed,
}: {
  readonly plan: PlanAnswer;
  readonly typed: Signal<string>;
}): JSX.Element => (
  <label class="confirm">
    To confirm, type the number <b>{count(plan.count)}</b>
    <input
      class="field"
      inputMode="numeric"
      autocomplete="off"
      value={typed.value}
      onInput={(event) => (typed.value = event.currentTarget.value)}
    />
  </label>
);

const Refused = ({
  plan,
  timeZone,
}: {
  readonly plan: PlanAnswer;
  readonly timeZone: string;
}): JSX.Element | null => {
  if (plan.refused.length === 0) return null;
  const shown = (id: string): string =>
    plan.action === "backfill" ? zonedInstant(new Date(id), timeZone) : shortId(id);
  return (
    <div class="refused">
      <h3>{plan.action === "backfill" ? "Left out" : "Refused"}</h3>
      <ul>
        {plan.refused.map(({ reason, count: number, sample }) => (
          <li key={reason}>
            <b>{count(number)}</b> {reason.replaceAll("_", " ")}{" "}
            <span class="muted mono">
              {sample.slice(0, 3).map(shown).join(" ")}
              {number > 3 && " …"}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
};

const Sample = ({ plan }: { readonly plan: PlanAnswer }): JSX.Element | null => {
  if (plan.sample.length === 0) return null;
  return (
    <details class="sample" open={plan.sample.length <= 3}>
      <summary>
        {plan.sample.length < plan.count ? `The first ${plan.sample.length}` : "The jobs"}
      </summary>
      <ul>
        {plan.sample.map(({ jobId, typeName, status }) => (
          <li key={jobId} class={`tone-${status}`}>
            <StatusShape word={status} /> <span class="plain-text">{typeName}</span>{" "}
            <span class="mono muted">{shortId(jobId)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
};
