// A sequence and the sequences that it waits for, as text for a snapshot: without ids and times.
import type { Engine } from "../engine.ts";
import { JobNotFoundError } from "../errors.ts";
import type { StateJob } from "../model/state-job.ts";
import type { JobStatus } from "../model/status.ts";

const symbols: Readonly<Record<JobStatus, string>> = {
  blocked: "⧗",
  pending: "…",
  running: "▶",
  completed: "✓",
  failed: "✗",
  cancelled: "⊘",
};

const jobsMax = 1_000;

/** One line for a sequence, with its jobs in their order. Its blockers follow, indented. */
export const drawGraph = async (engine: Engine, sequenceId: string): Promise<string> => {
  const lines = await draw(engine, sequenceId, new Set());
  if (lines.length === 0) throw new JobNotFoundError(sequenceId);
  return lines.join("\n");
};

const draw = async (
  engine: Engine,
  sequenceId: string,
  drawn: Set<string>,
): Promise<readonly string[]> => {
  const found = await engine.state.listJobs({
    typeNames: null,
    statuses: null,
    sequenceId,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    order: "asc",
    limit: jobsMax,
    afterOrdinal: null,
  });
  if (found.length === 0) return [];
  const jobs = found.toSorted((a, b) => a.position - b.position);
  const line = jobs.map(describeJob).join(" → ");
  // Several jobs may wait for one sequence: its blockers are drawn once.
  if (drawn.has(sequenceId)) return [line];
  drawn.add(sequenceId);
  const blockers = await engine.state.getBlockers({ ids: jobs.map(({ id }) => id) });
  const lines = [line];
  const ids = blockers.flat().map(({ first }) => first.id);
  for (const [index, id] of ids.entries()) {
    const isLast = index === ids.length - 1;
    const [first = "", ...rest] = await draw(engine, id, drawn);
    lines.push(`${isLast ? "└" : "├"} ${first}`);
    for (const one of rest) lines.push(`${isLast ? " " : "│"} ${one}`);
  }
  return lines;
};

const describeJob = ({ typeName, status, attempt, output, continuedToId }: StateJob): string => {
  const parts = [typeName, symbols[status]];
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  if (status === "completed" && continuedToId === null && output !== null && output !== "null") {
    parts.push(output);
  }
  return parts.join(" ");
};
