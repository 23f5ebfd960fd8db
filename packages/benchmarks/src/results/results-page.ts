// RESULTS.md: the stored runs as one page.
import { type Facts, toFactLines } from "../report/machine.ts";
import { toBreakdownTable, toFigureTable, toSettings } from "../report/markdown.ts";
import type { StoredRun, StoredTable } from "./stored-run.ts";

const intro = `# Results

\`pnpm bench --store <title>\` makes this page of \`results.jsonl\`: do not edit it. The [README](README.md) describes the
method, the cases and the participants. All figures are medians of rounds in random order. With \`--quick\` 5,000 jobs are
drained, and 500 by slow participants; full tables have 100,000 finished and 20,000 scheduled jobs. Nothing else ran on the
machine but the servers. Trust ratios, which come from one run, before figures. Redis and NATS beside a floor of their own:
the READMEs of their packages.
`;

const limits = `
| case | limit |
|---|---|
| \`drain-value\` | PostgreSQL: the work for leases, order and the outcome's rows. SQLite: JSON, payload checks and promises, beside a floor of 4 µs a job. MongoDB: the server |
| \`drain-callback\` | the round trips of a transaction for each job. A participant ahead of the floor writes the row outside of the completion |
| \`chain-5\`, \`fan-in-10\` | each step is a job inserted and locked in the settlement of another |
| \`start-1\` … \`start-50\` | BEGIN and COMMIT around the start, which is the user's transaction; others insert without one |
| \`start-bulk\` | indexes and columns that the floor has not, and the result, which is read once more |
| \`latency-idle\`, \`latency-200\` | the start's own transaction; without a notify adapter, the poll of another process (1 s by default) |
| \`full-table\` | as \`drain-value\`; in SQLite, deeper trees |
| \`held-transaction\` | dead rows before the probe, which a low-water mark skips |
| \`memory\` | the driver and the runtime |
| \`idle-queries\` | a poll each second of ten workers without notifications, every ten seconds with them |
`;

export const toResultsPage = (runs: readonly StoredRun[]): string => {
  const facts = newestOf(runs, (run) => run.facts);
  const settings = newestOf(runs, (run) => run.settings);
  return [
    intro,
    `${toFactLines(facts)}\n${limits}`,
    ...runs.map((run) => toSection(run, facts)),
    "## Settings of the participants\n",
    toSettings(
      Object.entries(settings).map(([participant, text]) => ({ participant, settings: text })),
    ),
  ].join("\n");
};

/** Each fact of the newest run that has it. */
const newestOf = (runs: readonly StoredRun[], pick: (run: StoredRun) => Facts): Facts => {
  const byAge = runs.toSorted((one, other) => (one.date < other.date ? -1 : 1));
  return Object.assign({}, ...byAge.map(pick));
};

const toSection = (run: StoredRun, newest: Facts): string => {
  const { title, command, date, seed, note, tables } = run;
  const different = Object.entries(run.facts).filter(([name, value]) => newest[name] !== value);
  return [
    `## ${title}\n`,
    `\`${command}\`, ${date}${seed === undefined ? "" : `, seed ${seed}`}\n`,
    ...(note === undefined ? [] : [`${note}\n`]),
    ...(different.length === 0 ? [] : [`${toFactLines(Object.fromEntries(different))}\n`]),
    ...tables.map((table) => toTables(table, tables.length > 1)),
  ].join("\n");
};

const toTables = ({ case: name, lines, breakdown }: StoredTable, isNamed: boolean): string =>
  [
    ...(isNamed ? [`${name}:\n`] : []),
    toFigureTable(lines),
    ...(breakdown === undefined ? [] : [toBreakdownTable(breakdown)]),
  ].join("\n");
