// All tools, in the order of the list. A new tool is one row, and one file.
import type { Tool } from "./tool.ts";
import { addApply } from "./tools/apply.ts";
import { addCheckHealth } from "./tools/check-health.ts";
import { addExplainJob } from "./tools/explain-job.ts";
import { addFindJobs } from "./tools/find-jobs.ts";
import { addGetMetrics } from "./tools/get-metrics.ts";
import { addGroupFailures } from "./tools/group-failures.ts";
import { addListSchedules } from "./tools/list-schedules.ts";
import { addListWorkers } from "./tools/list-workers.ts";
import { addOverview } from "./tools/overview.ts";
import { addPlan } from "./tools/plan.ts";
import { addShowJob } from "./tools/show-job.ts";
import { addShowSequence } from "./tools/show-sequence.ts";

const reading = (add: Tool["add"]): Tool => ({ isWrite: false, add });

export const tools: readonly Tool[] = [
  reading(addOverview),
  reading(addFindJobs),
  reading(addShowJob),
  reading(addShowSequence),
  reading(addExplainJob),
  reading(addGroupFailures),
  reading(addListWorkers),
  reading(addGetMetrics),
  reading(addListSchedules),
  reading(addCheckHealth),
  reading(addPlan),
  { isWrite: true, add: addApply },
];
