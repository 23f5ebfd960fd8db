// The application of the README of @queuert/nestjs.
import { readFileSync } from "node:fs";
import { NestFactory } from "@nestjs/core";
import { expect, it } from "vitest";
import { AppModule, MailJobs, SignUp } from "./application.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

it("is printed in the README", () => {
  const [, block = ""] = /```ts\n([\s\S]*?)```/.exec(read("../../../nestjs/README.md")) ?? [];
  expect(read("application.ts")).toBe(block);
});

it("runs a job in the method of a provider", async () => {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const { queuert } = app.get(SignUp);
  const input = { to: "ada@example.com" };
  const { id } = await queuert.startJobSequence({ autocommit: true, typeName: "mail", input });
  await queuert.waitForJobSequenceCompletion({ id, typeName: "mail", timeoutMs: 5_000 });
  expect(app.get(MailJobs).sent).toEqual(["ada@example.com"]);
  await app.close();
});
