// The cost of the packages before they do anything: to download, to start, to compile.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ParticipantResult } from "../run/run-case.ts";
import type { Services } from "../run/services.ts";
import type { Store } from "../participants/participant.ts";

export const footprintName = "footprint";

const run = promisify(execFile);
const packagesFolder = fileURLToPath(new URL("../../..", import.meta.url));
const firstJobPath = fileURLToPath(new URL("./first-job.mjs", import.meta.url));
const tsxPath = fileURLToPath(import.meta.resolve("tsx/cli"));
const typeCostPath = `${packagesFolder}core/bench/type-check-cost.ts`;
const published = ["core", "postgres", "sqlite", "mongodb", "redis", "nats", "otel"];
const stores: readonly Store[] = ["in-process", "sqlite", "postgres", "mongodb"];
const outputMax = 64 * 1_024 * 1_024;

const result = (
  participant: string,
  rounds: readonly Readonly<Record<string, number>>[],
): ParticipantResult => ({
  participant,
  // Compared with no other: there is no floor under these.
  store: "in-process",
  settings: "",
  rounds: rounds.map((measured) => ({ measured })),
});

const failed = (participant: string, error: unknown): ParticipantResult => ({
  ...result(participant, []),
  error: error instanceof Error ? error.message : String(error),
});

const settledBy = async (
  participant: string,
  measure: () => Promise<ParticipantResult>,
): Promise<ParticipantResult> => {
  try {
    return await measure();
  } catch (error) {
    return failed(participant, error);
  }
};

/** The tarball of a registry. */
const packageSize = (name: string): Promise<ParticipantResult> => {
  const folder = `${packagesFolder}${name}`;
  const packageName = name === "core" ? "queuert" : `@queuert/${name}`;
  return settledBy(packageName, async () => {
    if (!existsSync(`${folder}/dist`)) throw new Error("not built: run pnpm build");
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json"], {
      cwd: folder,
      maxBuffer: outputMax,
    });
    // As npm documents it: one entry for each package that was packed.
    const [packed] = JSON.parse(stdout) as { size: number; unpackedSize: number }[];
    if (packed === undefined) throw new Error("npm packed nothing");
    return result(packageName, [
      { "kB packed": packed.size / 1_000, "kB unpacked": packed.unpackedSize / 1_000 },
    ]);
  });
};

/** By plain Node on the built packages, each time in a new process and on a fresh store. */
const startUp = (store: Store, services: Services, rounds: number): Promise<ParticipantResult> => {
  const participant = `queuert-${store}`;
  return settledBy(participant, async () => {
    const measured: Record<string, number>[] = [];
    while (measured.length < rounds) {
      const { target, drop } = await services.createTarget(participant, store);
      try {
        const { stdout } = await run(process.execPath, [firstJobPath, store, target.url]);
        measured.push(JSON.parse(stdout) as Record<string, number>); // The line that first-job.mjs prints.
      } finally {
        await drop();
      }
    }
    return result(participant, measured);
  });
};

/** One line of the table that core's own benchmark prints: fixture, compiler, job types, …, per type. */
const costLine = /^│\s*\d+\s*│\s*'(.+?)'\s*│\s*'(.+?)'\s*│\s*(\d+)\s*│.*│\s*(\d+)\s*│$/;

const typeCost = async (): Promise<readonly ParticipantResult[]> => {
  try {
    const { stdout } = await run(process.execPath, [tsxPath, typeCostPath], {
      maxBuffer: outputMax,
    });
    const lines = stdout.split("\n").flatMap((line) => {
      const [, fixture, compiler, typeCount, perType] = costLine.exec(line) ?? [];
      return fixture === undefined
        ? []
        : [{ name: `${fixture}, ${typeCount} job types, ${compiler}`, perType: Number(perType) }];
    });
    if (lines.length === 0) throw new Error("the benchmark of the types printed no table");
    return lines.map(({ name, perType }) => result(name, [{ "instantiations/type": perType }]));
  } catch (error) {
    return [failed("types", error)];
  }
};

export const measureFootprint = async (
  services: Services,
  rounds: number,
  /** Leaves out the types: two compilers on three programs of three sizes take minutes. */
  isQuick: boolean,
): Promise<readonly ParticipantResult[]> => {
  const results: ParticipantResult[] = [];
  for (const name of published) results.push(await packageSize(name));
  for (const store of stores) results.push(await startUp(store, services, rounds));
  return isQuick ? results : [...results, ...(await typeCost())];
};
