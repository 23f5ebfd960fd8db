// The pages. A page that the store has no feature for is absent.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { has } from "../answers/session.ts";
import { short } from "../format.ts";
import { HomeIcon, ListIcon, MoreIcon, WarnIcon } from "../parts/icons.tsx";
import { href, type PageName, route } from "../router.ts";
import type { OverviewAnswer } from "../../src/api-types.ts";

interface Tab {
  readonly page: PageName;
  readonly label: string;
  /** Pages that belong to this tab, too. */
  readonly also?: readonly PageName[];
  readonly isShown?: () => boolean;
}

const tabs: readonly Tab[] = [
  { page: "overview", label: "Overview" },
  { page: "jobs", label: "Jobs", also: ["job", "sequence"] },
  { page: "failures", label: "Failures" },
  { page: "types", label: "Types", also: ["type"] },
  { page: "schedules", label: "Schedules" },
  { page: "limits", label: "Limits" },
  { page: "workers", label: "Workers", isShown: () => has("workers") },
  { page: "activity", label: "Activity", isShown: () => has("actions") },
];

const isOpen = ({ page, also }: Tab): boolean =>
  route.value.page === page || (also?.includes(route.value.page) ?? false);

export const overviewUrl = (): string => apiUrl("overview");

const Badge = ({ page }: { readonly page: PageName }): JSX.Element | null => {
  const { data } = useQuery<OverviewAnswer>(overviewUrl(), 10_000).value;
  if (data === undefined) return null;
  const number =
    page === "failures" ? data.totals.failed : page === "workers" ? data.workers?.online : null;
  if (number === null || number === undefined) return null;
  return (
    <span class={page === "failures" && number > 0 ? "badge bad" : "badge"}>{short(number)}</span>
  );
};

const TabLink = ({ tab }: { readonly tab: Tab }): JSX.Element => (
  <a class="tab" href={href(tab.page)} aria-current={isOpen(tab) ? "page" : undefined}>
    {tab.label}
    <Badge page={tab.page} />
  </a>
);

export const Nav = (): JSX.Element => {
  const shown = tabs.filter(({ isShown }) => isShown?.() ?? true);
  return (
    <nav class="nav" aria-label="Pages">
      {shown.map((tab) => (
        <TabLink key={tab.page} tab={tab} />
      ))}
    </nav>
  );
};

/** The bar at the bottom of small screens. */
export const BottomBar = (): JSX.Element => {
  const isMoreOpen = useSignal(false);
  const shown = tabs.filter(({ isShown }) => isShown?.() ?? true);
  const rest = shown.slice(3);
  const icons = [<HomeIcon key="o" />, <ListIcon key="j" />, <WarnIcon key="f" />];
  return (
    <nav class="bottom-bar" aria-label="Pages">
      {isMoreOpen.value && (
        <div class="more-sheet">
          {rest.map((tab) => (
            <a
              key={tab.page}
              href={href(tab.page)}
              aria-current={isOpen(tab) ? "page" : undefined}
              onClick={() => (isMoreOpen.value = false)}
            >
              {tab.label}
              <Badge page={tab.page} />
            </a>
          ))}
        </div>
      )}
      {shown.slice(0, 3).map((tab, index) => (
        <a key={tab.page} href={href(tab.page)} aria-current={isOpen(tab) ? "page" : undefined}>
          {icons[index]}
          {tab.label}
        </a>
      ))}
      <button
        type="button"
        aria-expanded={isMoreOpen.value}
        onClick={() => (isMoreOpen.value = !isMoreOpen.peek())}
      >
        <MoreIcon />
        More
      </button>
    </nav>
  );
};
