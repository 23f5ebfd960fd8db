// The parts of the answers, by the names that the page uses.
import type {
  Chip,
  ExplainAnswer,
  FailuresAnswer,
  JobAnswer,
  JobsAnswer,
  OverviewAnswer,
  PlanAnswer,
  SequencesAnswer,
  SessionAnswer,
  WorkersAnswer,
} from "../../src/api-types.ts";

export type Job = JobsAnswer["items"][number];
export type Sequence = SequencesAnswer["items"][number];
export type JobDetail = JobAnswer["job"];
export type Attempt = NonNullable<JobDetail["attempts"]>[number];
export type Attention = OverviewAnswer["attention"][number];
export type TypeRow = OverviewAnswer["types"][number];
export type Failure = FailuresAnswer["groups"][number];
export type Worker = WorkersAnswer["items"][number];
export type Term = SessionAnswer["terms"][number];
export type Feature = keyof SessionAnswer["features"];
export type Remedy = ExplainAnswer["remedies"][number];
export type JobRef = PlanAnswer["sample"][number];
/** The actions of plans on jobs. */
export type PlanAction = Exclude<PlanAnswer["action"], "backfill">;
export type { Chip };
