// The cost of each read of an operator in a large store: pages on PostgreSQL and SQLite, keys and documents on MongoDB.
// Without a number it makes 1,000,000 jobs, and without a store it measures all. Exit code 1 if a read exceeds its budget.
//   pnpm exec tsx --conditions=@queuert/source packages/benchmarks/src/operator-cost/main.ts [JOBS] [STORE]
import { startMongodb } from "@queuert/test-services/mongodb";
import { startPostgres } from "@queuert/test-services/postgres";
import { measureMongodb } from "./measure-mongodb.ts";
import { measurePostgres } from "./measure-postgres.ts";
import { measureSqlite } from "./measure-sqlite.ts";

const [jobs = "1000000", only] = process.argv.slice(2);
const jobCount = Number(jobs);
const print = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};

const isWanted = (store: string): boolean => only === undefined || only === store;

if (isWanted("postgres")) {
  const server = await startPostgres({ exclusive: true });
  try {
    const { url } = await server.createDatabase();
    print(`PostgreSQL, ${jobCount} jobs`, "pages", "budget", "statements", "ms");
    print("---", "--:", "--:", "--:", "--:");
    for (const { name, pages, pagesMax, statements, ms } of await measurePostgres(url, jobCount)) {
      print(name, pages, pagesMax, statements, ms.toFixed(1));
      if (pages > pagesMax) process.exitCode = 1;
    }
  } finally {
    await server.stop();
  }
}

if (isWanted("sqlite")) {
  print(`SQLite, ${jobCount} jobs`, "distinct pages", "budget", "ms");
  print("---", "--:", "--:", "--:");
  for (const { name, pages, pagesMax, ms } of await measureSqlite(jobCount)) {
    print(name, pages, pagesMax, ms.toFixed(1));
    if (pages > pagesMax) process.exitCode = 1;
  }
}

if (isWanted("mongodb")) {
  const server = await startMongodb();
  try {
    const { url } = await server.createDatabase();
    print(`MongoDB, ${jobCount} jobs`, "keys", "budget", "documents", "budget", "ms");
    print("---", "--:", "--:", "--:", "--:", "--:");
    for (const { name, ms, ...cost } of await measureMongodb(url, jobCount)) {
      const { keys, keysMax, documents, documentsMax } = cost;
      print(name, keys, keysMax, documents, documentsMax, ms.toFixed(1));
      if (keys > keysMax || documents > documentsMax) process.exitCode = 1;
    }
  } finally {
    await server.stop();
  }
}
