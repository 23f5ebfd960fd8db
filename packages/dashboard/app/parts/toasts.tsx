// Short messages at the edge of the page, for the result of an action.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { CheckIcon, CloseIcon, WarnIcon } from "./icons.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const toasts = signal<readonly Toast[]>([]);
let nextId = 0;

const remove = (id: number): void => {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
};

export const toast = (text: string, tone: Toast["tone"]): void => {
  const id = nextId++;
  toasts.value = [...toasts.peek().slice(-2), { id, text, tone }];
  // Bad news stays until it is closed.
  if (tone === "good") setTimeout(() => remove(id), 6_000);
};

export const Toasts = (): JSX.Element => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, tone }) => (
      <div key={id} class={`toast ${tone}`}>
        {tone === "good" ? <CheckIcon /> : <WarnIcon />}
        <span>{text}</span>
        <button type="button" class="quiet" aria-label="Close" onClick={() => remove(id)}>
          <CloseIcon />
        </button>
      </div>
    ))}
  </div>
);
