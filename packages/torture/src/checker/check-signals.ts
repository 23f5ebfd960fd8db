import { groupBy } from "./group-by.ts";
import type { StateJob } from "queuert";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import type { WaiterInput } from "../load/control-types.ts";

/** A key that retention has freed has another signal after that: the newest one of the time is meant. */
const signalOf = ({ control }: History, key: string, endsAt: number): StateJob | undefined =>
  control.jobs
    .filter(({ deduplicationKey, createdAt }) => {
      return deduplicationKey === key && createdAt.getTime() <= endsAt;
    })
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .at(-1);

/** A signal is sent once, keeps the payload of its first send, and reaches each job that waits for it in time. */
export const checkSignals: Check = (history) => {
  const violations: Violation[] = [];
  const byId = new Map(history.control.jobs.map((job) => [job.id, job]));
  const sends = groupBy(entriesOf(history, "sent"), ({ sequenceId }) => sequenceId);
  for (const [sequenceId, own] of sends) {
    const first = own.filter(({ isFirst }) => isFirst);
    if (first.length > 1)
      violations.push({ rule: "a signal is sent once", detail: `${sequenceId}: ${first.length}` });
    const stored = byId.get(sequenceId);
    if (stored === undefined) continue;
    const payload = stored.output === null ? null : (JSON.parse(stored.output) as string);
    const [sent] = first;
    if (stored.status === "completed" && (sent === undefined || sent.payload === payload)) continue;
    violations.push({
      rule: "a signal keeps the payload of its first send",
      detail: `${sequenceId} (${stored.status}): ${payload}, not ${sent?.payload}`,
    });
  }
  for (const entry of entriesOf(history, "received")) {
    const job = byId.get(entry.jobId);
    const signal = byId.get(entry.sequenceId ?? "");
    if (entry.payload !== null) {
      if (signal === undefined || signal.output === JSON.stringify(entry.payload)) continue;
      const detail = `${entry.jobId}: ${entry.payload}, not ${signal.output}`;
      violations.push({ rule: "a waiting job receives the payload that was sent", detail });
      continue;
    }
    if (job === undefined) continue;
    const { waitAtMostMs, key } = JSON.parse(job.input) as WaiterInput;
    const createdAt = job.createdAt.getTime();
    const endsAt = createdAt + (waitAtMostMs ?? Infinity);
    const isEarly = entry.at < endsAt - history.toleranceMs;
    const own = signalOf(history, key, endsAt);
    const sentAt = sends.get(own?.id ?? "")?.find(({ isFirst }) => isFirst)?.at ?? Infinity;
    const acquiredAt = job.leaseVersion === entry.leaseVersion ? job.lastAttemptAt?.getTime() : 0;
    if (!isEarly && sentAt >= (acquiredAt ?? 0) - history.statementMs) continue;
    const detail = `${entry.jobId}: ran without it at ${entry.at}`;
    violations.push({ rule: "a job waits for its signal until the end of its wait", detail });
  }
  return violations;
};

/** Every job of the control load ends. A job whose wait has an end does not wait beyond it. */
export const checkControlEnds: Check = ({ control }) =>
  control.jobs.flatMap(({ id, typeName, status, lastAttemptError }) =>
    status === "completed" || status === "cancelled"
      ? []
      : [
          {
            rule: "a waiting job reaches an outcome",
            detail: `${typeName} ${id} is ${status}: ${lastAttemptError}`,
          },
        ],
  );
