// The search field of the frame. A whole id opens its job; all else is a filter of the list.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { SearchIcon } from "../parts/icons.tsx";
import { href, navigate, route } from "../router.ts";
import { useKeys } from "./keys.ts";

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const Search = (): JSX.Element => {
  const text = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  useKeys({
    "/": () => {
      const filter = document.querySelector<HTMLInputElement>("#filter");
      (route.peek().page === "jobs" && filter !== null ? filter : input.current)?.focus();
    },
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    const given = text.value.trim();
    if (given === "") return;
    text.value = "";
    input.current?.blur();
    navigate(wholeId.test(given) ? href("job", given) : href("jobs", "", { q: given }));
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <SearchIcon />
      <input
        ref={input}
        type="search"
        aria-label="Search jobs"
        placeholder="Search, or paste an id"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
};
