// An id: short to read, whole to copy and in links.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { shortId } from "../format.ts";
import { CheckIcon, CopyIcon } from "./icons.tsx";

export const CopyButton = ({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}): JSX.Element => {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => (isCopied.value = false), 1_500);
  };
  return (
    <button
      type="button"
      class="copy"
      title={label}
      aria-label={isCopied.value ? "Copied" : label}
      onClick={() => void copy()}
    >
      {isCopied.value ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
};

export const Id = ({
  id,
  to,
  copy = true,
}: {
  readonly id: string;
  /** The address that the id links to. Left out: no link. */
  readonly to?: string;
  readonly copy?: boolean;
}): JSX.Element => (
  <span class="id" title={id}>
    {to === undefined ? (
      <span class="mono">{shortId(id)}</span>
    ) : (
      <a class="mono" href={to}>
        {shortId(id)}
      </a>
    )}
    {copy && <CopyButton text={id} label="Copy the id" />}
  </span>
);
