// The attempts that a worker holds: a list in which each attempt knows its place.
import { expect, it } from "vitest";
import type { AcquiredJob } from "../../src/adapters/state-adapter-params.ts";
import { Attempt, HeldAttempts } from "../../src/lifecycle/process-job/attempt.ts";
import type { Processor } from "../../src/lifecycle/process-job/processor.ts";

const newAttempt = (): Attempt =>
  new Attempt({ job: {}, blockers: [] } as unknown as AcquiredJob, {} as Processor, "w", 0);

const hold = (count: number) => {
  const held = new HeldAttempts();
  const attempts = Array.from({ length: count }, newAttempt);
  for (const attempt of attempts) held.add(attempt);
  return { held, attempts };
};

it.each([0, 1, 2])("holds the others when number %i of three is deleted", (index) => {
  const { held, attempts } = hold(3);
  const [deleted] = attempts.splice(index, 1) as [Attempt];
  held.delete(deleted);
  held.delete(deleted);
  expect(held.size).toBe(2);
  expect(held.has(deleted)).toBe(false);
  expect(new Set(held)).toEqual(new Set(attempts));
  for (const attempt of attempts) held.delete(attempt);
  expect([...held]).toEqual([]);
});

it("holds an attempt once, though it is added twice", () => {
  const { held, attempts } = hold(2);
  held.add(attempts[0] as Attempt);
  expect(held.size).toBe(2);
});

it("visits each attempt although those before it are deleted on the way", () => {
  const { held, attempts } = hold(4);
  const visited: Attempt[] = [];
  for (const attempt of held) {
    visited.push(attempt);
    held.delete(attempt);
  }
  expect(new Set(visited)).toEqual(new Set(attempts));
  expect(held.size).toBe(0);
});
