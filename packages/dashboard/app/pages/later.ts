// The pages and dialogs that are not part of the first load, in one file: together they are smaller than one by one.
export { ColumnsDialog } from "../parts/columns-dialog.tsx";
export { PauseDialog } from "../plan/pause-dialog.tsx";
export { ActivityPage } from "./activity.tsx";
export { LimitsPage } from "./limits.tsx";
export { SchedulesPage } from "./schedules.tsx";
export { TypePage } from "./type.tsx";
export { WorkersPage } from "./workers.tsx";
