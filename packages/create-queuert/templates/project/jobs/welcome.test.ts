import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { assertStarted, createTestQueuert } from "queuert/test";
import { openDatabase } from "./database.ts";
import { jobTypes } from "./job-types.ts";
import { createWorker, signUp } from "./welcome.ts";

test("a new user is welcomed", async () => {
  const { stateAdapter, timeTravel, isWelcomed, close } = await openDatabase("test");
  const jobs = await createTestQueuert({
    jobTypeDefinitions: jobTypes,
    stateAdapter,
    timeTravel,
    workers: [createWorker],
  });
  const email = `${randomUUID()}@example.com`;
  await signUp(jobs.queuert, email);
  await assertStarted(jobs, "welcome", { input: { email } });
  assert.equal(await isWelcomed(email), false);
  assert.equal((await jobs.drain()).completed, 1);
  assert.equal(await isWelcomed(email), true);
  await jobs.close();
  await close();
});
