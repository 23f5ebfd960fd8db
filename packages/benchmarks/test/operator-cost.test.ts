// The same reads and budgets as in the script for a million jobs, on stores that a test can fill.
import { providedMongodb, providedPostgres } from "@queuert/test-services/provided";
import { expect, it, onTestFinished } from "vitest";
import { measureMongodb } from "../src/operator-cost/measure-mongodb.ts";
import { measurePostgres } from "../src/operator-cost/measure-postgres.ts";
import { measureSqlite } from "../src/operator-cost/measure-sqlite.ts";

const judge = (name: string, cost: number, most: number): string =>
  `${name}: ${cost > most ? `${cost} > ${most}` : "within its budget"}`;

const isWithin = (line: string): boolean => line.endsWith("within its budget");

it("the reads of an operator keep to their budgets of pages on PostgreSQL", async () => {
  const { url } = await providedPostgres().createDatabase();
  const measured = await measurePostgres(url, 30_000);
  expect(measured.length).toBeGreaterThan(15);
  expect(measured.every(({ pages }) => pages > 0)).toBe(true);
  const lines = measured.map(({ name, pages, pagesMax }) => judge(name, pages, pagesMax));
  expect(lines.filter((line) => !isWithin(line))).toEqual([]);
}, 120_000);

it("the reads of an operator keep to their budgets of pages on SQLite", async () => {
  const measured = await measureSqlite(30_000);
  expect(measured.length).toBeGreaterThan(15);
  expect(measured.every(({ pages }) => pages > 0)).toBe(true);
  // A page of a common type is full long before the search has looked at all.
  const pagesOf = (read: string) => measured.find(({ name }) => name === read)?.pages ?? 0;
  expect(pagesOf("a common type")).toBeLessThan(pagesOf("a type that no job has"));
  const lines = measured.map(({ name, pages, pagesMax }) => judge(name, pages, pagesMax));
  expect(lines.filter((line) => !isWithin(line))).toEqual([]);
}, 120_000);

it("the reads of an operator keep to their budgets of keys and documents on MongoDB", async () => {
  const { url, drop } = await providedMongodb().createDatabase();
  onTestFinished(() => drop());
  const measured = await measureMongodb(url, 20_000);
  expect(measured.length).toBeGreaterThan(15);
  const lines = measured.flatMap(({ name, keys, keysMax, documents, documentsMax }) => [
    judge(`keys of ${name}`, keys, keysMax),
    judge(`documents of ${name}`, documents, documentsMax),
  ]);
  expect(lines.filter((line) => !isWithin(line))).toEqual([]);
}, 120_000);
