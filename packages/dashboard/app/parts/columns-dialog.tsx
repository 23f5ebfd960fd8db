// The choice of columns. The browser keeps it.
import type { JSX } from "preact";
import {
  listColumns,
  type ListName,
  showColumn,
  shownColumns,
  showUsualColumns,
} from "../answers/columns.ts";
import { Dialog } from "./dialog.tsx";

export const ColumnsDialog = ({
  list,
  onClose,
}: {
  readonly list: ListName;
  readonly onClose: () => void;
}): JSX.Element => {
  const shown: readonly string[] = shownColumns(list).map(([name]) => name);
  return (
    <Dialog narrow title={`Columns of ${list}`} onClose={onClose}>
      <div class="dialog-body choices">
        {listColumns[list].map(([name, label]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={shown.includes(name)}
              onChange={(event) => showColumn(list, name, event.currentTarget.checked)}
            />
            {label}
          </label>
        ))}
      </div>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={() => showUsualColumns(list)}>
          The usual ones
        </button>
        <button type="button" class="button main" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
};
