// The pauses that have not ended, each with its reason and a button that ends it.
import type { JSX } from "preact";
import type { OverviewAnswer } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { can } from "../answers/session.ts";
import { PauseIcon, PlayIcon } from "./icons.tsx";
import { Ago, Since } from "./time.tsx";

export type Pause = OverviewAnswer["pauses"][number];

export const Pauses = ({ of }: { readonly of: readonly Pause[] }): JSX.Element | null => {
  if (of.length === 0) return null;
  return (
    <section class="panel attention" aria-label="Pauses">
      <ul>
        {of.map((pause) => (
          <li key={pause.typeName ?? ""} class="warning">
            <PauseIcon />
            <p>
              <b>{pause.typeName ?? "All types"}</b> paused for <Since at={pause.pausedAt} />
              {pause.until !== null && (
                <>
                  , ends <Ago at={pause.until} />
                </>
              )}
              {pause.note !== null && <span class="muted"> {pause.note}</span>}
            </p>
            {can("pause") && <Resume pause={pause} />}
          </li>
        ))}
      </ul>
    </section>
  );
};

export const Resume = ({ pause }: { readonly pause: Pause }): JSX.Element => {
  const { typeName } = pause;
  const done = `${typeName ?? "Every type"} runs again.`;
  return (
    <button
      type="button"
      class="button"
      onClick={() => void act({ action: "resume", typeName }, done)}
    >
      <PlayIcon /> Resume
    </button>
  );
};
