// The whole way of a job, as a reader follows it: each word is a file that has to be on the screen. A route of core names the
// parts of a store by `@`. The table in `lifecycle/README.md` is made of these routes.
//
// The route: `queuert.transaction` with one start. The job is notified, acquired, processed, settled by value, then by callback
// with a continuation. A job that waits for it is released, and a waiter gets the result. Errors, retries and retention are
// left out, and so are utilities whose name says all, such as `sleep`.

/** The name of a step, and its files in order. */
type Stage = readonly [name: string, route: string];

const coreRoute: readonly Stage[] = [
  [
    "started, stored, committed",
    `queuert engine adapter-kit/wrap-adapters engine facade after-commit/open-transactions after-commit/open-transactions
     after-commit/open-transactions @transaction after-commit/open-transactions facade facade
     after-commit/open-transactions facade lifecycle/start-sequences observe/guarded-span lifecycle/start-sequences
     lifecycle/new-job async/scoped-storage lifecycle/new-job job-types/registry model/payload lifecycle/start-sequences model/state-job lifecycle/start-sequences after-commit/open-transactions
     @isInTransaction lifecycle/start-sequences adapters/state-adapter adapters/state-adapter-params adapter-kit/wrap-adapters
     @createJobs model/state-job lifecycle/start-sequences lifecycle/job-effects after-commit/open-transactions after-commit/open-transactions
     after-commit/open-transactions lifecycle/job-effects lifecycle/start-sequences model/sequence model/payload facade
     after-commit/open-transactions @commit after-commit/open-transactions after-commit/open-transactions`,
  ],
  [
    "notified",
    `lifecycle/local-listeners adapter-kit/hints lifecycle/local-listeners adapter-kit/wrap-adapters adapters/notify-adapter
     adapter-kit/channel-notify-adapter adapter-kit/hints adapter-kit/channel-notify-adapter adapter-kit/notify-channel
     adapter-kit/notify-message adapter-kit/notify-channel adapter-kit/notify-channel @publish @receive
     adapter-kit/notify-message adapter-kit/channel-notify-adapter adapter-kit/hints`,
  ],
  [
    "acquired",
    `worker/create-worker worker/worker-parts lifecycle/local-listeners worker/worker-parts worker/acquire-loop
     worker/acquire-state worker/acquire-state worker/acquire-loop lifecycle/own-leases worker/keep-leases worker/acquire-loop
     worker/acquire-loop adapters/state-adapter @acquireJobs worker/acquire-loop lifecycle/process-job/attempt
     worker/acquire-loop worker/acquire-state worker/worker-parts`,
  ],
  [
    "processed",
    `lifecycle/process-job/process-attempt lifecycle/attempt-events lifecycle/process-job/process-attempt model/job
     lifecycle/process-job/process-attempt lifecycle/process-job/complete lifecycle/process-job/attempt job-types/registry
     model/payload lifecycle/process-job/process-attempt worker/worker-parts`,
  ],
  [
    "settled by value",
    `worker/settle async/batcher worker/settle async/retry lifecycle/complete-jobs adapters/state-adapter @completeJobs
     lifecycle/complete-jobs lifecycle/job-effects lifecycle/complete-jobs
     after-commit/open-transactions lifecycle/local-listeners lifecycle/local-listeners worker/settle lifecycle/attempt-events`,
  ],
  [
    "settled by callback, continued",
    `lifecycle/process-job/complete lifecycle/process-job/attempt lifecycle/process-job/complete
     after-commit/open-transactions lifecycle/process-job/complete lifecycle/process-job/complete lifecycle/continuation
     lifecycle/new-job lifecycle/continuation lifecycle/process-job/complete lifecycle/process-job/process-attempt worker/settle
     lifecycle/complete-jobs @completeHeldJob lifecycle/complete-jobs
     lifecycle/job-effects lifecycle/complete-jobs lifecycle/process-job/complete after-commit/open-transactions`,
  ],
  [
    "unblocked",
    `lifecycle/start-sequences lifecycle/add-blockers adapters/state-adapter @addBlockers lifecycle/add-blockers
     lifecycle/start-sequences @release lifecycle/complete-jobs lifecycle/job-effects`,
  ],
  [
    "awaited",
    `facade lifecycle/await-sequence lifecycle/await-sequence lifecycle/await-sequence lifecycle/local-listeners adapter-kit/channel-notify-adapter
     adapter-kit/notify-channel lifecycle/await-sequence adapters/state-adapter @getSequences lifecycle/await-sequence
     lifecycle/await-sequence model/sequence`,
  ],
];

/** The parts of a store, with their own files after `~`. */
type StoreRoute = Readonly<Record<string, string>>;

const postgres: StoreRoute = {
  transaction: `~create-pg-state-adapter ~transaction-semaphore ~state-provider ~providers/pg ~providers/pg-plain
    ~providers/single-exchange-transaction`,
  isInTransaction: "~providers/pg-plain",
  createJobs: `~state/index ~state/create-jobs ~insert-jobs ~database ~routines/create-usual-job
    ~migrations/0001-create-store ~database ~providers/pg-plain ~providers/single-exchange-transaction ~providers/prepend-begin
    ~providers/single-exchange-transaction ~state/create-jobs ~insert-jobs`,
  commit: "~providers/pg-plain ~providers/single-exchange-transaction",
  publish: "~create-pg-notify-adapter ~notify-provider ~providers/pg-notify",
  receive: "adapter-kit/reconnecting-subscriber",
  acquireJobs: `~state/acquire-jobs/acquire-jobs ~state/acquire-jobs/low-water-marks ~state/acquire-jobs/acquire-jobs
    ~state/held-leases ~state/acquire-jobs/acquire-jobs ~database ~routines/acquire-jobs ~state/acquire-jobs/acquire-jobs
    ~state/acquire-jobs/acquire-jobs ~job-row ~state/held-leases ~state/acquire-jobs/acquire-jobs
    ~state/acquire-jobs/acquire-jobs`,
  completeJobs: `~state/complete-jobs ~state/held-leases ~state/complete-jobs ~database ~routines/complete-jobs
    ~routines/complete-job ~state/complete-jobs`,
  completeHeldJob: `~state/complete-jobs ~database ~providers/single-exchange-transaction ~providers/prepend-begin
    ~state/complete-jobs ~insert-jobs`,
  addBlockers: "~state/add-blockers ~database ~routines/add-blockers ~state/add-blockers",
  release: "~routines/complete-jobs ~state/complete-jobs",
  getSequences: "~state/get-sequences ~database ~routines/get-sequences ~job-row",
};

const mongodb: StoreRoute = {
  transaction:
    "~create-mongo-state-adapter ~state-provider ~providers/mongodb ~providers/run-transaction",
  isInTransaction: "~create-mongo-state-adapter ~database ~guarded-session",
  createJobs: `~create-mongo-state-adapter ~state/index ~state/create-jobs ~database ~guarded-session
    ~state/create-jobs ~ordinals ~state/create-jobs ~job-document ~job-document ~state/create-jobs ~store ~guarded-session ~store
    ~migrations/0001-create-store ~state/create-jobs`,
  commit: "~providers/run-transaction",
  publish: "~create-mongo-notify-adapter ~notify-provider",
  receive: "~notification-tail",
  acquireJobs: `~state/acquire-jobs ~acquire-candidates ~store ~state/acquire-jobs ~job-document ~state/acquire-jobs
    ~skip-locked ~state/acquire-jobs ~job-document ~sequences ~state/acquire-jobs`,
  completeJobs: `~state/complete-jobs ~job-document ~state/complete-jobs ~state/write-completions ~job-document
    ~state/write-completions ~store ~state/complete-jobs`,
  completeHeldJob: `~state/complete-jobs ~database ~state/create-jobs ~state/complete-jobs ~state/write-completions
    ~state/complete-jobs ~store ~state/complete-jobs`,
  addBlockers: `~state/add-blockers ~sequences ~state/add-blockers ~agreement/waiter-handshake ~guarded-session
    ~agreement/waiter-handshake ~agreement/waiter-handshake
    ~agreement/waiter-handshake ~agreement/retry-until-written ~agreement/waiter-handshake ~state/add-blockers ~store
    ~state/add-blockers`,
  release: `~state/complete-jobs ~state/release-waiting-jobs ~agreement/waiter-handshake ~agreement/waiter-handshake
    ~agreement/waiter-handshake ~state/release-waiting-jobs ~state/complete-jobs`,
  getSequences: "~state/get-sequences ~sequences",
};

const stores: Readonly<Record<string, StoreRoute>> = { postgres, mongodb };

const wordsOf = (route: string): readonly string[] =>
  route.split(/\s+/).filter((word) => word !== "");

/** The visits of each stage, as paths from the root. A file that is on the screen already is no visit. */
const visitsOf = (store: string): readonly (readonly string[])[] => {
  const partOf = (word: string): readonly string[] =>
    word.startsWith("@") ? wordsOf(stores[store]?.[word.slice(1)] ?? "") : [word];
  const toPath = (word: string): string =>
    word.startsWith("~")
      ? `packages/${store}/src/${word.slice(1)}.ts`
      : `packages/core/src/${word}.ts`;
  let onScreen = "";
  return coreRoute.map(([, route]) => {
    const visits: string[] = [];
    for (const path of wordsOf(route).flatMap(partOf).map(toPath)) {
      if (path !== onScreen) visits.push(path);
      onScreen = path;
    }
    return visits;
  });
};

interface Count {
  /** New files of each stage. */
  readonly files: readonly (readonly string[])[];
  readonly visitCounts: readonly number[];
}

const countOf = (store: string): Count => {
  const seen = new Set<string>();
  const visits = visitsOf(store);
  const files = visits.map((paths) => {
    const added = [...new Set(paths)].filter((path) => !seen.has(path));
    for (const path of added) seen.add(path);
    return added;
  });
  return { files, visitCounts: visits.map(({ length }) => length) };
};

// Reached without an import of a path: the client and the worker, contracts and their implementations, the parts of core that
// adapters import from the package, the provider that a user passes, and the routines and tables that a statement names.
const seams: readonly RegExp[] = [
  /core\/src\/(queuert|adapters\/state-adapter|worker\/create-worker)\.ts$/,
  /\/create-(pg|mongo)-\w+-adapter\.ts$/,
  /\/adapter-kit\/(channel-notify-adapter|reconnecting-subscriber)\.ts$/,
  /\/src\/providers\/(pg|mongodb)\.ts$/,
  /\/src\/(routines|migrations)\//,
];

/**
 * Files that no earlier file of the route leads to: a step is missing, or is not taken any more.
 * @param importsOf the paths that a file imports, from the root
 */
export const strayFiles = (importsOf: (path: string) => readonly string[]): readonly string[] =>
  Object.keys(stores).flatMap((store) => {
    const reached = new Set<string>();
    return countOf(store)
      .files.flat()
      .filter((path) => {
        const isReached = reached.has(path) || seams.some((seam) => seam.test(path));
        for (const next of importsOf(path)) reached.add(next);
        return !isReached;
      });
  });

/** All files of both routes. */
export const filesOfWalk: readonly string[] = [
  ...new Set(Object.keys(stores).flatMap((store) => countOf(store).files.flat())),
];

const shortOf = (path: string): string =>
  `\`${path.replace(/^packages\/\w+\/src\//, "").replace(/\.ts$/, "")}\``;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The tables of the walk, as `lifecycle/README.md` shows them. */
export const tablesOfWalk = (): string => {
  const [pg, mongo] = [countOf("postgres"), countOf("mongodb")];
  const isCore = (path: string): boolean => path.startsWith("packages/core/");
  const inBoth = new Set(
    pg.files.flat().filter((path) => isCore(path) && mongo.files.flat().includes(path)),
  );
  const cell = (paths: readonly string[]): string =>
    paths.length === 0 ? "–" : paths.map(shortOf).join(", ");
  const rows = coreRoute.map(([name], index) => {
    const [pgFiles = [], mongoFiles = []] = [pg.files[index], mongo.files[index]];
    const own = (paths: readonly string[]) => cell(paths.filter((path) => !inBoth.has(path)));
    const core = cell(pgFiles.filter((path) => inBoth.has(path)));
    return `| ${name} | ${core} | ${own(pgFiles)} | ${own(mongoFiles)} |`;
  });
  const counts = coreRoute.map(([name], index) => {
    const of = ({ files, visitCounts }: Count): string =>
      `${visitCounts[index]} | ${files[index]?.length}`;
    return `| ${name} | ${of(pg)} | ${of(mongo)} |`;
  });
  const totals = ({ files, visitCounts }: Count): string =>
    `**${sum(visitCounts)}** | **${files.flat().length}**`;
  return [
    "| stage | core | PostgreSQL | MongoDB |",
    "|---|---|---|---|",
    ...rows,
    "",
    "| stage | PostgreSQL: visits | new files | MongoDB: visits | new files |",
    "|---|--:|--:|--:|--:|",
    ...counts,
    `| **together** | ${totals(pg)} | ${totals(mongo)} |`,
  ].join("\n");
};
