// The filter of a list: text with completion, and chips below it with the cost of each term.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Chip, SuggestAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { session } from "../answers/session.ts";
import { CloseIcon, SearchIcon } from "../parts/icons.tsx";
import {
  type Completion,
  completeName,
  completeValue,
  type FilterWord,
  termAt,
  without,
  wordAt,
  wordsOf,
} from "./words.ts";

interface FilterBarProps {
  readonly filter: string;
  readonly onChange: (filter: string) => void;
  /** Terms as the server read them; null: not yet, or they cannot be read. */
  readonly parsed: readonly Chip[] | null;
  /** Why the filter cannot be read. */
  readonly problem: string | null;
}

export const FilterBar = ({ filter, onChange, parsed, problem }: FilterBarProps): JSX.Element => {
  const text = useSignal(filter);
  const applied = useRef(filter);
  // The address decides, also after back and forward.
  if (applied.current !== filter) {
    applied.current = filter;
    text.value = filter;
  }
  const submit = (value: string): void => {
    text.value = value;
    if (value.trim() !== applied.current) onChange(value.trim());
  };
  return (
    <div class="filter-bar">
      <FilterField text={text} onSubmit={submit} isBad={problem !== null} />
      {problem !== null && (
        <p class="filter-problem" role="alert">
          {problem}
        </p>
      )}
      <Chips filter={filter} parsed={parsed} onChange={submit} />
    </div>
  );
};

const Chips = ({
  filter,
  parsed,
  onChange,
}: {
  readonly filter: string;
  readonly parsed: readonly Chip[] | null;
  readonly onChange: (filter: string) => void;
}): JSX.Element | null => {
  const words = wordsOf(filter);
  if (words.length === 0) return null;
  const costOf = ({ position }: FilterWord): string | null =>
    parsed?.find((chip) => chip.position === position)?.cost ?? null;
  return (
    <ul class="chips" aria-label="Terms of the filter">
      {words.map((word) => (
        <li key={word.position} class={`chip ${costOf(word) ?? ""}`}>
          <code>{word.text}</code>
          {costOf(word) === "examined" && (
            <small title="Jobs are looked at one by one, so a search looks at a bounded number of them.">
              examined
            </small>
          )}
          <button
            type="button"
            aria-label={`Remove ${word.text}`}
            onClick={() => onChange(without(filter, word))}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
};

/** Completions for the word at the cursor. Values of types and workers come from the server. */
const useCompletions = (text: string, cursor: number, isOpen: boolean): readonly Completion[] => {
  const terms = session.value?.terms ?? [];
  const word = wordAt(text, cursor);
  const inTerm = termAt(word.text, terms);
  const completion = inTerm?.term.completion ?? null;
  const field = isOpen && typeof completion === "string" ? completion : null;
  const suggested = useQuery<SuggestAnswer>(
    field === null ? null : apiUrl("suggest", { field, prefix: "" }),
  ).value.data;
  if (!isOpen) return [];
  if (inTerm === null) return word.text.includes(":") ? [] : completeName(word.text, terms);
  const values = typeof completion === "string" ? (suggested?.values ?? []) : (completion ?? []);
  return completeValue(inTerm.head, inTerm.value, values);
};

/** The state of the field: its text, the place of the cursor, and the completion that is chosen. */
const useField = (text: { value: string }, onSubmit: (value: string) => void) => {
  const input = useRef<HTMLInputElement>(null);
  const cursor = useSignal(0);
  const isOpen = useSignal(false);
  const chosen = useSignal(-1);
  const completions = useCompletions(text.value, cursor.value, isOpen.value);
  const take = ({ word, isWhole }: Completion): void => {
    const at = wordAt(text.value, cursor.value);
    const before = text.value.slice(0, at.position) + word + (isWhole ? " " : "");
    const after = text.value.slice(at.position + at.text.length);
    text.value = before + after.replace(/^ /, isWhole ? "" : " ");
    cursor.value = before.length;
    chosen.value = -1;
    input.current?.focus();
    requestAnimationFrame(() => input.current?.setSelectionRange(before.length, before.length));
  };
  const press = (event: KeyboardEvent): void => {
    const last = completions.length - 1;
    const picked = completions[chosen.value];
    if (event.key === "ArrowDown" && last >= 0) chosen.value = Math.min(last, chosen.value + 1);
    else if (event.key === "ArrowUp" && last >= 0) chosen.value = Math.max(-1, chosen.value - 1);
    else if (event.key === "Escape" && isOpen.value) isOpen.value = false;
    else if (event.key === "Escape") input.current?.blur();
    else if ((event.key === "Enter" || event.key === "Tab") && picked !== undefined) take(picked);
    else if (event.key === "Enter") {
      isOpen.value = false;
      onSubmit(text.value);
    } else return;
    event.preventDefault();
  };
  const follow = (): void => {
    cursor.value = input.current?.selectionStart ?? 0;
  };
  const type = (value: string): void => {
    text.value = value;
    isOpen.value = true;
    chosen.value = -1;
    follow();
  };
  return { input, isOpen, chosen, completions, take, press, follow, type };
};

const FilterField = ({
  text,
  onSubmit,
  isBad,
}: {
  readonly text: { value: string };
  readonly onSubmit: (value: string) => void;
  readonly isBad: boolean;
}): JSX.Element => {
  const field = useField(text, onSubmit);
  const { input, isOpen, chosen, completions } = field;
  return (
    <div class={isBad ? "filter bad" : "filter"}>
      <SearchIcon />
      <input
        ref={input}
        id="filter"
        type="text"
        role="combobox"
        aria-label="Filter"
        aria-expanded={completions.length > 0}
        aria-controls="completions"
        aria-autocomplete="list"
        aria-activedescendant={chosen.value >= 0 ? `completion-${chosen.value}` : undefined}
        placeholder="status:failed type:send-mail since:1d input.user.id:42"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => field.type(event.currentTarget.value)}
        onFocus={() => {
          field.follow();
          isOpen.value = true;
        }}
        onClick={field.follow}
        onKeyUp={field.follow}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={field.press}
      />
      <CompletionList of={completions} chosen={chosen.value} onTake={field.take} />
    </div>
  );
};

const CompletionList = ({
  of,
  chosen,
  onTake,
}: {
  readonly of: readonly Completion[];
  readonly chosen: number;
  readonly onTake: (completion: Completion) => void;
}): JSX.Element => (
  <ul
    id="completions"
    class="completions"
    role="listbox"
    aria-label="Completions"
    hidden={of.length === 0}
  >
    {of.map((completion, index) => (
      <li
        key={completion.word}
        id={`completion-${index}`}
        role="option"
        aria-selected={index === chosen}
        onMouseDown={(event) => {
          // The field keeps the focus.
          event.preventDefault();
          onTake(completion);
        }}
      >
        <code>{completion.label}</code>
        <span>{completion.help}</span>
        {completion.cost === "examined" && <small>examined</small>}
      </li>
    ))}
  </ul>
);
