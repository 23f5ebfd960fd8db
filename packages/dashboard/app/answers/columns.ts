// The columns of the lists, as the person has chosen them. The first column, the id, is always shown.
import { signal, type Signal } from "@preact/signals";
import { keep, readKept } from "./kept.ts";

/** The names of all columns, in their order, with their words. `false`: shown only if it was chosen. */
export const listColumns = {
  jobs: [
    ["type", "Type", true],
    ["status", "Status", true],
    ["attempt", "Attempt", true],
    ["created", "Created", true],
    ["when", "Due or ran", true],
    ["priority", "Priority", false],
    ["worker", "Worker", false],
    ["key", "Deduplication key", false],
    ["why", "Why", true],
    ["input", "Input", true],
    ["output", "Output", false],
  ],
  sequences: [
    ["type", "Type", true],
    ["status", "Status", true],
    ["jobs", "Jobs", true],
    ["created", "Started", true],
    ["took", "Took", true],
    ["now", "Now", true],
    ["input", "Input", true],
  ],
} as const satisfies Readonly<
  Record<string, readonly (readonly [name: string, label: string, isUsual: boolean])[]>
>;
export type ListName = keyof typeof listColumns;
export type ColumnName<TList extends ListName> = (typeof listColumns)[TList][number][0];

/** Names of shown columns; null: the usual ones. */
type Chosen = readonly string[] | null;

const read = (list: ListName): Chosen => readKept(`columns-${list}`)?.split(" ") ?? null;

const chosen: Readonly<Record<ListName, Signal<Chosen>>> = {
  jobs: signal(read("jobs")),
  sequences: signal(read("sequences")),
};

/** The columns to show, in the order of the table. */
export const shownColumns = <TList extends ListName>(
  list: TList,
): readonly (readonly [name: ColumnName<TList>, label: string])[] => {
  const names = chosen[list].value;
  return listColumns[list]
    .filter(([name, , isUsual]) => (names === null ? isUsual : names.includes(name)))
    .map(([name, label]) => [name as ColumnName<TList>, label]);
};

export const showColumn = (list: ListName, name: string, isShown: boolean): void => {
  const before = shownColumns(list).map(([each]) => each as string);
  const after = isShown ? [...before, name] : before.filter((each) => each !== name);
  chosen[list].value = after;
  keep(`columns-${list}`, after.join(" "));
};

export const showUsualColumns = (list: ListName): void => {
  const usual = listColumns[list].flatMap(([name, , isUsual]) => (isUsual ? [name] : []));
  chosen[list].value = usual;
  keep(`columns-${list}`, usual.join(" "));
};
