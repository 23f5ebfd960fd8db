// Plain English, by area: an area has the allowance of its longest matching path.
import type { File } from "./files.ts";
import {
  bannedWords,
  type Finding,
  longSentences,
  type Prose,
  proseOf,
  wordCount,
} from "./prose.ts";

type Area = {
  readonly area: string;
  /** Banned words that are left to be removed. The aim is none. Lower it with each file that is rewritten. */
  readonly notYet: number;
  /** Sentences of more than 25 words that are left. Lower it likewise. */
  readonly long: number;
};

const areas: readonly Area[] = [
  { area: "", notYet: 0, long: 0 },
  { area: "packages/benchmarks/", notYet: 0, long: 0 },
  { area: "packages/cli/", notYet: 0, long: 0 },
  { area: "packages/core/", notYet: 0, long: 0 },
  { area: "packages/core/src/", notYet: 0, long: 0 },
  { area: "packages/core/src/testing/", notYet: 0, long: 0 },
  { area: "packages/dashboard/", notYet: 0, long: 0 },
  { area: "packages/examples/", notYet: 0, long: 0 },
  { area: "packages/mcp/", notYet: 0, long: 0 },
  { area: "packages/mongodb/", notYet: 0, long: 0 },
  { area: "packages/nats/", notYet: 0, long: 0 },
  { area: "packages/nestjs/", notYet: 0, long: 0 },
  { area: "packages/otel/", notYet: 0, long: 0 },
  { area: "packages/postgres/", notYet: 0, long: 0 },
  { area: "packages/redis/", notYet: 0, long: 0 },
  { area: "packages/sqlite/", notYet: 0, long: 0 },
  { area: "packages/test-services/", notYet: 0, long: 0 },
  { area: "packages/torture/", notYet: 0, long: 0 },
];

const areaOf = (path: string): Area =>
  areas
    .filter(({ area }) => path.startsWith(area))
    .reduce((best, each) => (each.area.length > best.area.length ? each : best));

/** Once an area has no allowance: one banned word in 10,000. */
const allowedShare = 0.1 / 1000;

export type Report = { readonly area: string; readonly found: number; readonly allowed: number };

/** The count and the allowance of each area, and the places in areas beyond their allowance. */
const report = (
  files: readonly File[],
  find: (prose: Prose) => Finding[],
  allowance: (area: Area, words: number) => number,
): { reports: Report[]; broken: string[] } => {
  const prose = files.flatMap(proseOf);
  const reports: Report[] = [];
  const broken: string[] = [];
  for (const area of areas) {
    const own = prose.filter(({ path }) => areaOf(path) === area);
    const found = own.flatMap(find);
    const words = own.reduce((sum, each) => sum + wordCount(each), 0);
    const allowed = allowance(area, words);
    reports.push({ area: area.area || "the rest", found: found.length, allowed });
    if (found.length > allowed) broken.push(...perFile(found), ...found.map(({ at }) => at));
  }
  return { reports, broken };
};

const perFile = (found: readonly Finding[]): string[] => {
  const counts = new Map<string, number>();
  for (const { path } of found) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].map(([path, count]) => `${path}: ${count}`);
};

export const bannedWordReport = (files: readonly File[]): ReturnType<typeof report> =>
  report(files, bannedWords, ({ notYet }, words) =>
    Math.max(notYet, Math.floor(words * allowedShare)),
  );

export const longSentenceReport = (files: readonly File[]): ReturnType<typeof report> =>
  report(files, longSentences, ({ long }) => long);
