// A payload: JSON as a tree that folds. A text that is cut, or is not JSON, is shown as text.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

/** Entries of an object or a list that are shown before "show all". */
const entriesMax = 100;
/** Levels that are open at first. */
const openLevels = 3;

export const JsonText = ({ text }: { readonly text: string }): JSX.Element => {
  const value = parse(text);
  return value === undefined ? (
    <pre class="payload">{text}</pre>
  ) : (
    <div class="payload json">
      <Value value={value.parsed} level={0} />
    </div>
  );
};

const parse = (text: string): { readonly parsed: unknown } | undefined => {
  try {
    return { parsed: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

const Value = ({
  value,
  level,
}: {
  readonly value: unknown;
  readonly level: number;
}): JSX.Element => {
  if (typeof value === "string") return <span class="json-text">{JSON.stringify(value)}</span>;
  if (typeof value !== "object" || value === null) {
    return <span class="json-plain">{String(value)}</span>;
  }
  return <Entries value={value} level={level} />;
};

const Entries = ({
  value,
  level,
}: {
  readonly value: object;
  readonly level: number;
}): JSX.Element => {
  const isOpen = useSignal(level < openLevels);
  const isWhole = useSignal(false);
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [start, end] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return <span class="json-plain">{start + end}</span>;
  const shown = isWhole.value ? entries : entries.slice(0, entriesMax);
  return (
    <>
      <button
        type="button"
        class="fold"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.peek())}
      >
        {start}
        {!isOpen.value && (
          <>
            <em>{entries.length}</em>
            {end}
          </>
        )}
      </button>
      {isOpen.value && (
        <>
          <ul>
            {shown.map(([key, each]) => (
              <li key={key}>
                {!isList && <span class="json-key">{key}: </span>}
                <Value value={each} level={level + 1} />
              </li>
            ))}
            {shown.length < entries.length && (
              <li>
                <button type="button" class="fold" onClick={() => (isWhole.value = true)}>
                  <em>show all {entries.length}</em>
                </button>
              </li>
            )}
          </ul>
          <span class="json-end">{end}</span>
        </>
      )}
    </>
  );
};
