// A payload of a job. Its head came with the job; the rest is asked for in pieces.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { PayloadAnswer } from "../../src/api-types.ts";
import { ApiError, apiUrl, get } from "../answers/api.ts";
import type { Job } from "../answers/types.ts";
import { bytes } from "../format.ts";
import { Empty, Problem } from "./answer.tsx";
import { CopyButton } from "./ids.tsx";
import { JsonText } from "./json-view.tsx";

type Field = "input" | "output" | "error";

export const Payload = ({
  job,
  field,
}: {
  readonly job: Job;
  readonly field: Field;
}): JSX.Element => {
  const whole = useSignal<string | null>(null);
  const error = useSignal<ApiError | null>(null);
  const isLoading = useSignal(false);
  const head = job[field];
  if (head === null) return <Empty>There is no {field}.</Empty>;
  const load = async (): Promise<void> => {
    isLoading.value = true;
    try {
      whole.value = await loadWhole(job.id, field);
      error.value = null;
    } catch (reason) {
      if (!(reason instanceof ApiError)) throw reason;
      error.value = reason;
    } finally {
      isLoading.value = false;
    }
  };
  const text = whole.value ?? head.text;
  const isCut = head.isCut && whole.value === null;
  return (
    <div class="payload-box">
      {error.value !== null && <Problem error={error.value} />}
      {field === "error" || isCut ? <pre class="payload">{text}</pre> : <JsonText text={text} />}
      <p class="payload-foot shown">
        <span class="muted">{bytes(head.length)}</span>
        {isCut ? (
          <button
            type="button"
            class="button"
            disabled={isLoading.value}
            onClick={() => void load()}
          >
            {isLoading.value ? "Loading…" : "Show the rest"}
          </button>
        ) : (
          <CopyButton text={text} label={`Copy the ${field}`} />
        )}
      </p>
    </div>
  );
};

const loadWhole = async (id: string, field: Field): Promise<string> => {
  let text = "";
  for (let offset: number | null = 0; offset !== null;) {
    const signal = AbortSignal.timeout(60_000);
    const url: string = apiUrl("payload", { id, field, offset });
    const piece = (await get(url, { etag: null, signal })).data as PayloadAnswer;
    text += piece.text;
    offset = piece.nextOffset;
  }
  return text;
};
