// Ours and the floor in turns, each round on a fresh database of one server. A ratio is computed from one round.
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";

export interface Bench {
  readonly url: string;
  /** Prepared statements are on: both sides keep their connections. */
  readonly pool: pg.Pool;
  /** Fewer jobs, for a first look. */
  readonly isQuick: boolean;
}

/** A figure, such as jobs/s; `undefined` for a case that only one of both sides has. */
export type Side = (bench: Bench) => Promise<number>;

export interface BenchCase {
  readonly name: string;
  readonly unit: string;
  readonly floor: Side;
  readonly ours: Side;
}

export const connectionsMax = 20;

export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly floor: number;
  readonly ours: number;
  readonly ratios: readonly number[];
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const measureCases = async (
  cases: readonly BenchCase[],
  { rounds, isQuick }: { readonly rounds: number; readonly isQuick: boolean },
  onMeasured: (measured: Measured) => void,
): Promise<void> => {
  const server = await startPostgres({ exclusive: true, durability: "default" });
  try {
    for (const one of cases) {
      const figures: { floor: number; ours: number }[] = [];
      const run = async (side: Side): Promise<number> => {
        const database = await server.createDatabase();
        const pool = new pg.Pool({ connectionString: database.url, max: connectionsMax });
        // Dropping the database ends connections that are already closing.
        pool.on("error", () => undefined);
        try {
          return await side({ url: database.url, pool, isQuick });
        } finally {
          await pool.end();
          await database.drop();
        }
      };
      for (let round = 0; round < rounds; round += 1) {
        // In turns, and the other way round every other time: the second side finds a warm server.
        const isFloorFirst = round % 2 === 0;
        const first = await run(isFloorFirst ? one.floor : one.ours);
        const second = await run(isFloorFirst ? one.ours : one.floor);
        figures.push(
          isFloorFirst ? { floor: first, ours: second } : { floor: second, ours: first },
        );
      }
      onMeasured({
        name: one.name,
        unit: one.unit,
        floor: median(figures.map(({ floor }) => floor)),
        ours: median(figures.map(({ ours }) => ours)),
        ratios: figures.map(({ floor, ours }) => ours / floor),
      });
    }
  } finally {
    await server.stop();
  }
};

/** How many of them were done per second. */
export const rateOf = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - startedAt);
};
