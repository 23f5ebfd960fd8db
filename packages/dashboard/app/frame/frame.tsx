// The frame of all pages: the store and its environment, search, age, theme, help, and the person that looks.
import type { ComponentChildren, JSX } from "preact";
import { session } from "../answers/session.ts";
import { HelpIcon, MoonIcon, SunIcon } from "../parts/icons.tsx";
import { Toasts } from "../parts/toasts.tsx";
import { href } from "../router.ts";
import { Help, isHelpOpen } from "./help.tsx";
import { useKeys } from "./keys.ts";
import { Live, StaleBanner } from "./live.tsx";
import { BottomBar, Nav } from "./nav.tsx";
import { Search } from "./search.tsx";
import { isDark, switchTheme } from "./theme.ts";

const environmentTone = (environment: string): string =>
  /^prod/i.test(environment) ? "env danger" : /^stag/i.test(environment) ? "env warn" : "env";

const Brand = (): JSX.Element => {
  const { environment = null, store } = session.value ?? {};
  return (
    <div class="brand">
      <a href={href("overview")} class="logo" aria-label="Queuert, overview">
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path class="logo-ring" d="M10 17a7 7 0 1 1 6.2-3.8" />
          <path class="logo-tail" d="M11 11.5l6 5.5" />
        </svg>
        <span>Queuert</span>
      </a>
      {environment !== null && <span class={environmentTone(environment)}>{environment}</span>}
      {store?.name !== undefined && store.name !== null && <span class="store">{store.name}</span>}
    </div>
  );
};

const roleOf = (rights: readonly string[]): string =>
  rights.includes("delete") ? "admin" : rights.includes("retry") ? "operate" : "view only";

const Person = (): JSX.Element | null => {
  if (session.value === null) return null;
  const { user, can } = session.value;
  return (
    <span class="person" title={`May: ${can.join(", ")}`}>
      {user !== null && <b>{user}</b>} {roleOf(can)}
    </span>
  );
};

export const Frame = ({ children }: { readonly children: ComponentChildren }): JSX.Element => {
  useKeys({ "?": () => (isHelpOpen.value = true) });
  return (
    <>
      <a class="skip" href="#content">
        Go to the content
      </a>
      <header class="top">
        <div class="top-row">
          <Brand />
          <Search />
          <div class="tools">
            <Live />
            <button
              type="button"
              class="quiet"
              aria-label={isDark.value ? "Light theme" : "Dark theme"}
              title={isDark.value ? "Light theme" : "Dark theme"}
              onClick={switchTheme}
            >
              {isDark.value ? <SunIcon /> : <MoonIcon />}
            </button>
            <button
              type="button"
              class="quiet help-button"
              aria-label="Help"
              title="Help (?)"
              onClick={() => (isHelpOpen.value = true)}
            >
              <HelpIcon />
            </button>
            <Person />
          </div>
        </div>
        <Nav />
      </header>
      <StaleBanner />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <BottomBar />
      <Help />
      <Toasts />
    </>
  );
};
