// Causes of trouble that the store can tell: jobs that nothing moves, workers, pauses, limits and clocks.
import type { StoreFinding } from "../../adapters/operator-reads.ts";
import type { Evidence } from "../explain/evidence.ts";
import { duration } from "../../model/duration-text.ts";
import type { Overview } from "./overview.ts";
import { libraryVersionsOf, toWorkerViews } from "./worker-view.ts";

/** One problem of the store, of its workers or of its jobs. */
export interface HealthFinding {
  /** `fail`: jobs stand still, or will. `warn`: look at it. `note`: a check that could not be made. */
  readonly level: "note" | "warn" | "fail";
  readonly check: "jobs" | "workers" | "control" | "clock" | "server";
  /** One sentence. */
  readonly text: string;
}

/** The health of the store in one answer. */
export interface HealthReport {
  /** The store's clock. */
  readonly at: Date;
  /** Nothing but notes was found. */
  readonly isWell: boolean;
  /** The failures first. */
  readonly findings: readonly HealthFinding[];
}

/** A larger difference makes times in logs hard to compare. Workers do not depend on it. */
const clockOffsetMs = 5_000;
/** A pause that has lasted for longer may have been forgotten. */
const longPauseMs = 24 * 60 * 60_000;
/** Workers that vanished before are history. */
const vanishedWithinMs = 60 * 60_000;

/** `processNow`: the time of this process when the facts were read. `server`: the findings of the store. */
export const toHealth = (
  overview: Overview,
  evidence: Evidence,
  processNow: Date,
  server: readonly StoreFinding[] = [],
): HealthReport => {
  const findings = [
    ...overview.attention.map(({ severity, text }): HealthFinding => {
      const level = severity === "error" ? "fail" : "warn";
      return { level, check: "jobs", text };
    }),
    ...workerFindings(evidence),
    ...controlFindings(evidence),
    ...clockFindings(evidence, processNow),
    ...server.map(({ level, text }): HealthFinding => ({ level, check: "server", text })),
  ];
  const level = (each: HealthFinding["level"]) =>
    findings.filter((finding) => finding.level === each);
  return {
    at: evidence.now,
    isWell: findings.every((finding) => finding.level === "note"),
    findings: [...level("fail"), ...level("warn"), ...level("note")],
  };
};

const workerFindings = (evidence: Evidence): readonly HealthFinding[] => {
  const { now } = evidence;
  const views = toWorkerViews(evidence);
  const taken = new Set(views.filter((view) => view.isNameTaken).map(({ workerId }) => workerId));
  const vanished = views.filter(
    ({ presence, state, beatAt }) =>
      presence === "gone" &&
      state !== "stopped" &&
      now.getTime() - beatAt.getTime() < vanishedWithinMs,
  );
  return [
    ...[...taken].map((name): HealthFinding => {
      const text = `Several live workers are named ${name}: give each worker a name of its own.`;
      return { level: "warn", check: "workers", text };
    }),
    ...mixedVersions(evidence),
    ...vanished.map(({ workerId, beatAt }): HealthFinding => {
      const ago = duration(now.getTime() - beatAt.getTime());
      const text = `Worker ${workerId} has not reported for ${ago}, and it has not stopped in order.`;
      return { level: "warn", check: "workers", text };
    }),
  ];
};

/** Two neighbouring releases run side by side for the time of a deployment. */
const mixedVersions = (evidence: Evidence): readonly HealthFinding[] => {
  const versions = libraryVersionsOf(evidence);
  if (versions.length < 2) return [];
  const counted = versions.map(
    ({ version, workers }) =>
      `${workers} run ${version ?? "a release that does not report its version"}`,
  );
  const text =
    `Live workers run ${versions.length} versions of queuert: ${counted.join(", ")}. ` +
    "Finish the deployment, or stop the workers of the older release: only neighbouring releases may share a store.";
  return [{ level: "warn", check: "workers", text }];
};

const controlFindings = ({ pauses, limits, now }: Evidence): readonly HealthFinding[] => [
  ...pauses
    .filter(
      ({ until, pausedAt }) => until === null && now.getTime() - pausedAt.getTime() > longPauseMs,
    )
    .map(({ typeName, pausedAt }): HealthFinding => {
      const scope = typeName ?? "Every job type";
      const text = `${scope} has been paused for ${duration(now.getTime() - pausedAt.getTime())}, without an end.`;
      return { level: "warn", check: "control", text };
    }),
  ...limits
    .filter(({ concurrency }) => concurrency === 0)
    .map(({ name }): HealthFinding => {
      const text = `The limit of ${name} lets no job run: raise it, or clear it.`;
      return { level: "warn", check: "control", text };
    }),
];

const clockFindings = ({ now, unknown }: Evidence, processNow: Date): readonly HealthFinding[] => {
  const offsetMs = now.getTime() - processNow.getTime();
  if (unknown.includes("clock") || Math.abs(offsetMs) < clockOffsetMs) return [];
  const side = offsetMs > 0 ? "ahead of" : "behind";
  const text = `The store's clock is ${duration(Math.abs(offsetMs))} ${side} that of this process.`;
  return [{ level: "warn", check: "clock", text }];
};
