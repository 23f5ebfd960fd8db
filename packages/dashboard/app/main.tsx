// The page begins here.
import "./styles/main.css";
import { type ComponentType, type JSX, render } from "preact";
import { startClock } from "./answers/clock.ts";
import { isAway, startPolling } from "./answers/query.ts";
import { startHints } from "./answers/hints.ts";
import { loadSession, session, sessionError } from "./answers/session.ts";
import { Frame } from "./frame/frame.tsx";
import { startKeys } from "./frame/keys.ts";
import { startTheme } from "./frame/theme.ts";
import { FailuresPage } from "./pages/failures.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { TypesPage } from "./pages/types.tsx";
import { Problem } from "./parts/answer.tsx";
import { lazy } from "./parts/lazy.tsx";
import { ExplainDialog } from "./parts/explain-dialog.tsx";
import { openPause } from "./plan/open-pause.ts";
import { PlanDialog } from "./plan/plan-dialog.tsx";
import { type PageName, route, startRouter } from "./router.ts";

const later = () => import("./pages/later.ts");

const pages: Readonly<Record<PageName, ComponentType>> = {
  overview: OverviewPage,
  jobs: JobsPage,
  job: lazy(async () => (await import("./pages/tree.ts")).JobPage),
  sequence: lazy(async () => (await import("./pages/tree.ts")).SequencePage),
  failures: FailuresPage,
  types: TypesPage,
  type: lazy(async () => (await later()).TypePage),
  schedules: lazy(async () => (await later()).SchedulesPage),
  limits: lazy(async () => (await later()).LimitsPage),
  workers: lazy(async () => (await later()).WorkersPage),
  activity: lazy(async () => (await later()).ActivityPage),
};

/** A dialog has no place on the page before it is open. */
const PauseDialog = lazy(
  async () => (await later()).PauseDialog,
  () => null,
);

const App = (): JSX.Element | null => {
  const error = sessionError.value;
  if (session.value === null && error === null) return null;
  if (session.value === null && error !== null) {
    return (
      <main class="alone">
        <Problem error={error} />
        {isAway(error) && <p class="empty">The page tries again by itself.</p>}
      </main>
    );
  }
  const { page, subject } = route.value;
  const Page = pages[page];
  return (
    <Frame>
      {/* From job to job the page stays, with the tree on it. */}
      <Page key={page === "job" ? page : `${page} ${subject}`} />
      <PlanDialog />
      {openPause.value !== null && <PauseDialog target={openPause.value} />}
      <ExplainDialog />
    </Frame>
  );
};

startTheme();
startRouter();
startKeys();
startClock();
startPolling();
startHints();
void loadSession();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
